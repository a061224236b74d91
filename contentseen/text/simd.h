#pragma once

// Defined where vector instructions of x86-64 may be used: SSE2 always, more when the processor
// says so. -DCONTENTSEEN_PORTABLE=ON leaves the plain loops, to test and to measure them.
#if defined(__x86_64__) && !defined(CONTENTSEEN_PORTABLE)
#define CONTENTSEEN_X86 1
#endif
