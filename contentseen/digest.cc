#include "contentseen/digest.h"

#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"
#include "base/hex.h"

namespace contentseen {
namespace {

// SHA-256 of zero bytes.
constexpr Digest kOfNothing = {{0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
                                0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
                                0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55}};

// A fetched algorithm and a context, made once a thread: through EVP_Digest a small text costs
// three times as much.
class HashContext {
 public:
  explicit HashContext(const char* algorithm)
      : algorithm_(EVP_MD_fetch(nullptr, algorithm, nullptr)), context_(EVP_MD_CTX_new()) {
    CHECK(algorithm_ != nullptr && context_ != nullptr);
  }
  ~HashContext() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
  }
  HashContext(const HashContext&) = delete;
  HashContext& operator=(const HashContext&) = delete;

  void Hash(std::string_view bytes, std::span<std::uint8_t> digest) {
    unsigned size = 0;
    CHECK(EVP_DigestInit_ex2(context_, algorithm_, nullptr) == 1);
    CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
    CHECK(EVP_DigestFinal_ex(context_, digest.data(), &size) == 1);
    CHECK(size == digest.size());
  }

 private:
  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};

}  // namespace

std::string Digest::Hex() const { return base::ToHex(bytes); }

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  Digest digest;
  if (!base::FromHex(hex, digest.bytes)) return std::nullopt;
  return digest;
}

bool Digest::IsOfNothing() const { return *this == kOfNothing; }

base::Status OffersDigest(const char* algorithm) {
  EVP_MD* const fetched = EVP_MD_fetch(nullptr, algorithm, nullptr);
  if (fetched == nullptr) {
    return base::Fail(std::string("OpenSSL does not offer ") + algorithm +
                      " as this machine configures it (openssl.cnf, or what OPENSSL_CONF names)");
  }
  EVP_MD_free(fetched);
  return {};
}

Digest Sha256(std::string_view bytes) {
  thread_local HashContext context("SHA256");
  Digest digest;
  context.Hash(bytes, digest.bytes);
  return digest;
}

std::array<std::uint8_t, 16> Md5(std::string_view bytes) {
  thread_local HashContext context("MD5");
  std::array<std::uint8_t, 16> digest;
  context.Hash(bytes, digest);
  return digest;
}

std::array<std::uint8_t, 20> Sha1(std::string_view bytes) {
  thread_local HashContext context("SHA1");
  std::array<std::uint8_t, 20> digest;
  context.Hash(bytes, digest);
  return digest;
}

Key128 Xxh3Key(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace contentseen
