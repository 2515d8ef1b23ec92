/* What a test can ask of the emulated device. */
#ifndef TESTS_EMULATED_EMULATED_H
#define TESTS_EMULATED_EMULATED_H

#include <stdbool.h>
#include <stdint.h>

void emulated_devices(int n);             /* 0: none is installed */
void emulated_driver(int version);         /* as CUDA counts, 12040 for 12.4; 0: none is installed */
void emulated_memory(uint64_t bytes);     /* that the device has */
void emulated_fail_launch(uint64_t after); /* the launch after so many fails; UINT64_MAX: none */
uint64_t emulated_used(void);             /* bytes not yet freed */
uint64_t emulated_launches(void);         /* so far */

#endif
