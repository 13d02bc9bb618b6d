/* CRC-32C (Castagnoli), reflected, polynomial 0x82F63B78. Source: RFC 3720, appendix B.4. */
#ifndef RN_CRC32C_H
#define RN_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of data[bytes] after what gave crc; crc = 0 to start. */
uint32_t rn_crc32c(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
