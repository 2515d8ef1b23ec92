/* The pages in order, with their questions. */
#include "tui/lesson/lesson_pages.h"

const struct template lesson_templates[LESSON_PAGES] = {
    {"Four, eight, sixteen", four_lines,
     "Along each row one step more costs one model more, {unit}. Where does it cost more than that?",
     "From {n1} step to {n2}, rolled: {r1} become {r2}, {jump} more. With one step there is no loop: both forms "
     "are the same program. The next pages find out what these {jump} are.",
     four_fill},
    {"One place, many owners", place_lines,
     "When is w2 read for the last time, and when is the gradient written into the same place?",
     "It is last read at t={model.end}, and the gradient is written at t={grad.start}. Their lives do not meet, "
     "so one place of {model} serves both: one step needs {total}, no more than its result.",
     place_fill},
    {"What backward needs", kept_lines,
     "Temporary memory (temp) is what a program needs besides its parameters and results. How much of these {sum} is?",
     "{temp}: all but the first of the {models}. That one is the donated parameter itself: no copy is made, it stays "
     "where it came in, and the gradient is not written over it before backward has read it for the last time.",
     kept_fill},
    {"The stack", stack_lines,
     "When the second forward iteration is done, how many rows hold data, and how much is reserved?",
     "{filled} of {rows}: {held} of data. But {stack} are reserved, as they are all the time. (Tab goes there.)",
     stack_fill},
    {"The peak", peak_lines,
     "With one more step, which of the three grows?",
     "Only the stack, by a row: with {m} steps it is {stack3}, and the peak {total3}. The other two are as large as "
     "one model, however many steps there are.",
     peak_fill},
    {"Plus eight", plus_lines,
     "Why has the unrolled form no cotangent of this size?",
     "A loop must hand on the whole array, {rolled.ct}, which begins as zeros. Unrolled, XLA sees that zeros plus g "
     "is g, and that all columns of it are alike: it keeps one, {vector}, and writes all {grad} only at "
     "t={grad.start}, by {writer}, when the models are no longer needed. (Tab goes there.)",
     plus_fill},
    {"Why the slice is copied", copied_lines,
     "What does a single reader save, with {n} steps?",
     "The slice, {slice}: {rolled} become {rowsum}. (Tab shows that program: no slice is alive in its backward loop.)",
     copied_fill},
    {"Half an unroll", half_lines,
     "With {odd} steps there are two stacks. The forward loop wrote rows {first.from} to {first.to} (counted from "
     "{first.from}) of the first. Which rows does the second one hold?",
     "Rows {second.from} to {second.to}. Forward is left with its last step outside the loop, backward, which runs "
     "the other way, with the first. So the rows that its loop reads are not those that were written: they are put "
     "together anew, {second}, while the old stack stays for row {first.from}.",
     half_fill},
    {"Advice that fails, what works", advice_lines,
     "What will {long} steps need, as {outer} times {inner}?",
     "A row for each outer and each inner step, and {extra} models more: {predicted}. XLA's plan says {nested.long}; "
     "rolled it would be about {rolled.long}, and the GPU has {limit}.",
     advice_fill},
    {"The algebra and the floor", algebra_lines,
     "Which part of rolled's {rolled} can go without computing anything twice and without algebra?",
     "{saved}. The last step outside the scan saves {peel.saved}: its model never enters the stack. A single reader of "
     "the slice saves {rowsum.saved}. The {both} that are left are {n} different models, all of them still to be read "
     "when forward ends.",
     algebra_fill},
    {"Remedies side by side", remedies_lines,
     "Your own step is no multiple of the model, but any update, such as an SGD step. Which of these are left to you?",
     "Those that do not look into the step: the last step outside the scan, a scan of scans, moving the carry to the "
     "host, unrolling while the steps are few, bf16 where it will do; and, where you can write its backward pass, "
     "custom_vjp. The sums of w2's rows and the scalar carry are this example's own.",
     remedies_fill},
};
