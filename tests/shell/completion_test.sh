#!/bin/sh
# What the shells complete: each one that is here really does.  $TIDEMARK is the program.
. tests/shell/lib.sh

for shell in bash zsh fish; do
    "$t" --completion "$shell" >"$dir/$shell" || no "completions for $shell"
done
mkdir "$dir/here" "$dir/here/a folder"
: >"$dir/here/results.csv"
: >"$dir/here/report.pb"
cat >"$dir/ask.bash" <<'END'
# WORD…: what the last one can become, each on a line.
source "$DIR/bash"
cd "$DIR/here" || exit
COMP_WORDS=(tidemark "$@") COMP_CWORD=$#
[[ $(complete -p tidemark) == *-F\ _tidemark* ]] || echo "not registered"
compopt() { defaults=$2; }
_tidemark
printf '%s\n' "${COMPREPLY[@]}"
if [[ ${#COMPREPLY[@]} == 0 && $defaults == default ]]; then compgen -f -- "${COMP_WORDS[-1]}"; fi
if [[ ${#COMPREPLY[@]} == 0 && $defaults == dirnames ]]; then compgen -d -- "${COMP_WORDS[-1]}"; fi
END
cat >"$dir/ask.zsh" <<'END'
# LINE: the same.  zsh's functions run only where a line is edited: in a terminal of its own.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= TERM=dumb; unsetopt zle_bracketed_paste; cd ${(q)DIR}/here; autoload -U compinit; compinit -u -d ${(q)DIR}/zcompdump"
zpty -w shell "source ${(q)DIR}/zsh"
zpty -w shell "null-line() { }; zle -C complete-word complete-word show; bindkey '^I' complete-word"
zpty -w shell 'show() { compadd() {
    [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return; }
    typeset -a __hits; builtin compadd -A __hits "$@"; (( $#__hits )) && print -l -- $__hits | sed "s/^/HIT /"
    builtin compadd "$@"; }; _main_complete; print END; }; print READY'
zpty -r shell out '*READY*READY*'
zpty -w -n shell "tidemark $1"$'\t'
zpty -r shell out '*END*'
print -r -- "$out" | tr -d '\r' | sed -n 's/^.*HIT //p'
zpty -d shell
END

# becomes SHELL NAME "LINE" WANTED…: lines that the answer has; -LINE: that it has not.
becomes() {
    shell=$1 name="$1: $2" line=$3
    shift 3
    case $shell in
    bash) eval "DIR='$dir' bash --norc '$dir/ask.bash' $line" >"$dir/out" 2>"$dir/err" ;;
    zsh) DIR="$dir" timeout 120 zsh -f "$dir/ask.zsh" "$line" >"$dir/out" 2>"$dir/err" </dev/null ;;
    fish) (cd "$dir/here" && HOME="$dir" timeout 120 fish -N -c "source '$dir/fish'; complete -C 'tidemark $line'") |
        cut -f 1 >"$dir/out" 2>"$dir/err" ;;
    esac
    for want in "$@"; do
        case $want in
        -!*) if grep -qxF -e "${want#-!}" "$dir/out"; then no "$name (has ${want#-!})"; return; fi ;;
        *) if ! grep -qxF -e "$want" "$dir/out"; then no "$name (lacks $want)"; show "$dir/out" "$dir/err"; return; fi ;;
        esac
    done
    ok "$name"
}

for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        echo "skip $shell completes: it is not installed"
        continue
    fi
    empty="''"
    [ $shell = bash ] || empty=
    becomes "$shell" "commands and files stand first" "re" report record results.csv '-!run'
    becomes "$shell" "options of a command" "report --" --by --at --top --json '-!--seqlen' '-!--keys'
    becomes "$shell" "options of the explorer" "--" --keys --dump --version '-!--by'
    becomes "$shell" "options of another command" "run --" --seqlen --guards '-!--by'
    becomes "$shell" "values are words" "report --by $empty" line op shape role '-!results.csv'
    becomes "$shell" "files are completed for a command" "verify res" results.csv
    becomes "$shell" "a command stands only once" "verify re" results.csv '-!report'
    becomes "$shell" "options after paths" "report results.csv --b" --by
    becomes "$shell" "record's program is a command" "record pytho" python3
done
becomes bash "a value behind =" "export --format = m" minimalloc '-!svg'
becomes bash "a value behind = that is still empty" "export --format =" minimalloc svg
becomes bash "folders only" "run --inputs ''" "a folder" '-!results.csv'
becomes bash "a value is no operand" "--limit 80G re" report results.csv
becomes bash "half a value" "--color a" auto always '-!never'
exit $bad
