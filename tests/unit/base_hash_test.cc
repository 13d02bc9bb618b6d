// Published vectors of SHA-256 and CRC-32C.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "host/base/crc32c.h"
#include "host/base/sha256.h"

namespace {

std::string digest_in_parts(const std::string &text, size_t part)
{
    rn_sha256 hash;
    rn_sha256_start(&hash);
    for (size_t at = 0; at < text.size(); at += part) {
        rn_sha256_add(&hash, text.data() + at, std::min(part, text.size() - at));
    }
    uint8_t digest[RN_SHA256_BYTES];
    rn_sha256_end(&hash, digest);
    char hex[RN_SHA256_TEXT_MAX];
    return rn_sha256_text(digest, RN_SHA256_BYTES, hex);
}

// NIST, "Examples with intermediate values" for FIPS 180-4: SHA-256, and the million letters a of
// FIPS 180-2.
TEST(BaseSha256, KnownAnswers)
{
    const struct {
        std::string text;
        const char *hex;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mnopqrsmnopqrst"
         "nopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {std::string(1000000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto &k : known) {
        for (size_t part : {size_t{1}, size_t{7}, size_t{64}, size_t{65}, size_t{1000000}}) {
            EXPECT_EQ(digest_in_parts(k.text, part), k.hex)
                << k.text.size() << " bytes in parts of " << part;
        }
    }
}

TEST(BaseSha256, EveryLengthAroundABlockDiffersFromItsParts)
{
    for (size_t length = 50; length < 140; length++) {
        const std::string text(length, 'q');
        EXPECT_EQ(digest_in_parts(text, 3), digest_in_parts(text, 1000)) << length;
    }
}

TEST(BaseSha256, IntegersAreLittleEndian)
{
    rn_sha256 a;
    rn_sha256 b;
    rn_sha256_start(&a);
    rn_sha256_start(&b);
    rn_sha256_add_integer(&a, -2);
    rn_sha256_add(&b, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
    uint8_t da[RN_SHA256_BYTES];
    uint8_t db[RN_SHA256_BYTES];
    rn_sha256_end(&a, da);
    rn_sha256_end(&b, db);
    EXPECT_EQ(memcmp(da, db, sizeof da), 0);
}

// RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms ("123456789").
TEST(BaseCrc32c, KnownAnswers)
{
    EXPECT_EQ(rn_crc32c(0, "123456789", 9), 0xE3069283u);
    EXPECT_EQ(rn_crc32c(0, std::string(32, '\0').data(), 32), 0x8A9136AAu);
    EXPECT_EQ(rn_crc32c(0, std::string(32, '\xff').data(), 32), 0x62A8AB43u);
    std::string rising;
    for (int i = 0; i < 32; i++) {
        rising += static_cast<char>(i);
    }
    EXPECT_EQ(rn_crc32c(0, rising.data(), 32), 0x46DD794Eu);
    EXPECT_EQ(rn_crc32c(rn_crc32c(0, rising.data(), 5), rising.data() + 5, 27), 0x46DD794Eu);
    EXPECT_EQ(rn_crc32c(0, nullptr, 0), 0u);
}

} // namespace
