// The parts of OpenSSL 3's libcrypto that the target Cryptography uses.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
