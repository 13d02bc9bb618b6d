/* The stand-in has one header; this is the name under which C code asks for it. */
#include "cuda_runtime.h"
