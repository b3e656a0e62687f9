// Tests of MD5.
#include "base/md5.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The digest of a text in hexadecimal.
static void hex_of(const char *text, size_t size, char hex[2 * HP_MD5_SIZE + 1]) {
    uint8_t digest[HP_MD5_SIZE];
    hp_md5(text, size, digest);
    for (int i = 0; i < HP_MD5_SIZE; i++) {
        snprintf(hex + (size_t)(2 * i), 3, "%02x", digest[i]);
    }
}

Test(md5, of_rfc_1321) {
    static const char *const cases[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"1234567890123456789012345678901234567890"
         "1234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char hex[2 * HP_MD5_SIZE + 1];
        hex_of(cases[i][0], strlen(cases[i][0]), hex);
        cr_expect_str_eq(hex, cases[i][1], "%s", cases[i][0]);
    }
}

// The length of the last block decides how many padding blocks follow.  Digests of all
// lengths up to three blocks are hashed once more; md5sum computes the same.
Test(md5, of_every_length_that_padding_sees) {
    char text[192], all[192 * 2 * HP_MD5_SIZE + 1], hex[2 * HP_MD5_SIZE + 1];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof text; i++) {
        // Exact size, so that reads beyond the end are detected.
        char *exact = malloc(i + 1);
        memcpy(exact, text, i);
        hex_of(exact, i, all + i * 2 * HP_MD5_SIZE);
        free(exact);
    }
    hex_of(all, sizeof all - 1, hex);
    cr_expect_str_eq(hex, "a1720b74074623d7e91e26f6f9515aac");
}
