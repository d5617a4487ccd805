// The parts of OpenSSL 3's libcrypto that the target Cryptography and the issuer of tests use.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
