/* Field numbers of what is walked on the wire: HloProto, HloModuleProto, HloComputationProto,
 * HloInstructionProto and BufferAssignmentProto, from xla/service/hlo.proto. */
#ifndef CORE_LOAD_PROTO_HLO_FIELDS_H
#define CORE_LOAD_PROTO_HLO_FIELDS_H

enum { PROTO_MODULE = 1, PROTO_ASSIGNMENT = 3 };
enum {
    MODULE_NAME = 1, MODULE_ENTRY_NAME = 2, MODULE_COMPUTATIONS = 3, MODULE_ENTRY_ID = 6,
    MODULE_SCHEDULE = 7, MODULE_IO_ALIAS = 8, MODULE_FRAMES = 17, MODULE_DONORS = 18
};
enum { COMP_NAME = 1, COMP_INSTRUCTIONS = 2, COMP_ID = 5, COMP_ROOT_ID = 6 };
enum { INST_SHAPE = 3, INST_LITERAL = 8 };
enum { BUFFER_LOGICAL = 1, BUFFER_ALLOCATIONS = 3, BUFFER_HEAP_TRACES = 4, BUFFER_EXTRA = 5 };

#endif
