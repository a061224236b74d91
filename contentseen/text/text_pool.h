#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// Lends AnalyzedTexts, whose memory is worth keeping from one page to the next.
///
///     TextPool::Loan text = pool.Borrow();
///     text->Assign(visible_text);
///
/// Thread safety: all methods, at once. Ownership: loans end before the pool. Holds as many as
/// were ever out at once, with AnalyzedText::kKeptBytesMax of memory each at most.
class TextPool {
 public:
  explicit TextPool(const FeatureOptions& options) : options_(options) {}

  class Loan {
   public:
    Loan(TextPool& pool, std::unique_ptr<AnalyzedText> text)
        : pool_(pool), text_(std::move(text)) {}
    ~Loan() { pool_.TakeBack(std::move(text_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    AnalyzedText* operator->() { return text_.get(); }
    AnalyzedText& operator*() { return *text_; }

   private:
    TextPool& pool_;
    std::unique_ptr<AnalyzedText> text_;
  };

  Loan Borrow() {
    {
      base::MutexLock lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<AnalyzedText> text = std::move(free_.back());
        free_.pop_back();
        return {*this, std::move(text)};
      }
    }
    return {*this, std::make_unique<AnalyzedText>(options_)};
  }

 private:
  void TakeBack(std::unique_ptr<AnalyzedText> text) {
    text->Release();
    base::MutexLock lock(mutex_);
    free_.push_back(std::move(text));
  }

  const FeatureOptions options_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<AnalyzedText>> free_ GUARDED_BY(mutex_);
};

}  // namespace contentseen
