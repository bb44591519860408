#include "tools/ctl/lists.h"

#include <algorithm>
#include <future>
#include <ostream>
#include <utility>
#include <vector>

#include "tools/ctl/arguments.h"
#include "tools/ctl/table/rows.h"
#include "tools/ctl/units.h"

namespace ctl {
namespace {

constexpr std::size_t kPage = 500;
constexpr std::size_t kReadable = 100;          // rows for people, unless they say otherwise
constexpr const char* kHead = R"({"items":[)";  // with the first row: a refusal stands alone
constexpr std::size_t kToldEvery = 10'000;
// The bound of the configuration: bearers at a time.
constexpr std::uint64_t kMostListed = 1'000'000;

// One list on its way from rncd to the output.
class Listing {
 public:
  Listing(Caller& caller, const ListSource& source, const ListView& view, const Selection& selection,
          const ListOptions& options, const Output& output)
      : caller_(caller),
        source_(source),
        view_(view),
        selection_(selection),
        output_(output),
        most_(options.limit),
        printer_(view, selection, {.color = output.color}) {
    if (!options.limit && !options.all && !output.json && source.paged) most_ = kReadable;
    if (options.cursor.empty()) return;
    if (counts_rows()) skip_ = quantity(options.cursor).get<std::size_t>();
    if (!counts_rows()) cursor_ = source.numbered ? quantity(options.cursor) : Json(options.cursor);
  }

  void run() {
    while (page()) continue;
    if (selection_.sorts()) print_sorted();
    end();
  }

 private:
  // rncd's cursor knows neither the filter nor the order: these lists go on behind a number of rows.
  bool counts_rows() const { return selection_.sorts() || selection_.filters(); }

  // Reads the next page, and shows it while the one behind it is on its way. False: it was the last, or
  // enough has been read.
  bool page() {
    answer_ = ahead_.valid() ? ahead_.get() : answer_of_page(0);
    const auto list = answer_.find("items");
    if (list == answer_.end() || !list->is_array())
      throw Refused("the answer to " + source_.method + " lacks items", answer_);
    cursor_ = source_.paged ? answer_.value("next", Json()) : Json();
    const std::size_t had = taken_ + list->size();
    if (!cursor_.is_null() && (counts_rows() || !most_ || had < *most_))
      ahead_ = std::async(std::launch::async, [this, had] { return answer_of_page(had); });
    for (const Json& row : *list) {
      if (!take(row)) return false;
    }
    flush();
    tell(list->size());
    if (!counts_rows() && most_ && taken_ >= *most_) next_ = cursor_;
    return !cursor_.is_null() && next_.is_null();
  }

  // `had`: rows in the pages before. Requires: nothing else calls meanwhile, or changes the cursor.
  Json answer_of_page(std::size_t had) {
    if (source_.items != nullptr)
      return {{"items", source_.items(caller_.call(source_.method, source_.params))}};
    if (!source_.paged) return caller_.call(source_.method, source_.params);
    Json params = source_.params;
    if (source_.members && !output_.json) params["members"] = selection_.members();
    params["limit"] = most_ && !counts_rows() ? std::min(kPage, *most_ - had) : kPage;
    if (!cursor_.is_null()) params["cursor"] = cursor_;
    return caller_.call(source_.method, params);
  }

  // False if there are more rows than requested.
  bool take(const Json& row) {
    if (!selection_.matches(row)) return true;
    if (selection_.sorts()) {
      sorted_.push_back({selection_.sort_key(row), ready(row)});
      return true;
    }
    ++taken_;
    if (counts_rows() && taken_ <= skip_) return true;
    if (counts_rows() && most_ && taken_ > skip_ + *most_) {
      next_ = skip_ + *most_;
      return false;
    }
    print(ready(row));
    return true;
  }

  struct Ready {
    std::string json;
    RowPrinter::Cells cells;
  };
  Ready ready(const Json& row) const {
    return output_.json ? Ready{row.dump(), {}} : Ready{{}, printer_.prepared(row)};
  }
  void print(Ready row) {
    if (output_.json) output_.out << (std::exchange(printed_, true) ? "," : kHead) << row.json;
    if (!output_.json) printer_.add(std::move(row.cells));
  }
  void print_sorted() {
    std::ranges::stable_sort(
        sorted_, [this](const Sorted& a, const Sorted& b) { return selection_.before(a.key, b.key); });
    const std::size_t from = std::min(skip_, sorted_.size());
    const std::size_t to = most_ ? std::min(from + *most_, sorted_.size()) : sorted_.size();
    for (std::size_t i = from; i < to; ++i) print(std::move(sorted_[i].row));
    if (to < sorted_.size()) next_ = to;
  }

  // Text with colours goes past the filter of control characters: the table has filtered its cells.
  std::ostream& text_out() { return output_.painted != nullptr ? *output_.painted : output_.out; }
  void flush() {
    if (!output_.json) text_out() << printer_.text() << std::flush;
    output_.out.flush();
  }
  void tell(std::size_t rows) {
    const std::size_t before = std::exchange(read_, read_ + rows);
    if (output_.progress && before / kToldEvery != read_ / kToldEvery)
      output_.notes << "rncctl: " << count_text(read_) << " " << view_.rows << " so far\n" << std::flush;
  }

  void end() {
    flush();
    if (output_.json) {
      answer_.erase("items");
      answer_["next"] = next_;
      output_.out << (printed_ ? "" : kHead) << "]," << answer_.dump().substr(1) << "\n" << std::flush;
    } else {
      text_out() << printer_.end(answer_) << std::flush;
    }
    if (next_.is_null()) return;
    output_.notes << "rncctl: there are more " << view_.rows << " (--limit N, --all; go on: --cursor '"
                  << (next_.is_string() ? next_.get<std::string>() : next_.dump()) << "')\n";
  }

  struct Sorted {
    Json key;
    Ready row;
  };

  Caller& caller_;
  const ListSource& source_;
  const ListView& view_;
  const Selection& selection_;
  const Output& output_;
  std::optional<std::size_t> most_;
  Json cursor_;
  RowPrinter printer_;
  std::size_t skip_ = 0, taken_ = 0, read_ = 0;
  bool printed_ = false;
  Json answer_ = Json::object();  // the last one
  Json next_;                     // where the rest begins; null if nothing is left
  std::vector<Sorted> sorted_;
  std::future<Json> ahead_;  // the next page; last, since it uses the others
};

}  // namespace

void add_page_options(CLI::App& command, ListOptions& options) {
  auto* limit =
      command.add_option("--limit", options.limit, "at most so many; unless given 100, with --json all")
          ->check(whole_number(1, kMostListed));
  command.add_flag("--all", options.all, "all of them")->excludes(limit);
  command.add_option("--cursor", options.cursor,
                     "go on behind the rows that came: `next` of the JSON, with the same --by and --where");
}

void add_list(CLI::App& command, Command& chosen, const ListView& view, std::shared_ptr<ListOptions> options,
              std::function<ListSource()> source) {
  add_table_options(command, options->table, view);
  command.callback([&chosen, &view, options, source = std::move(source)] {
    const auto selection = std::make_shared<const Selection>(view, options->table);
    const bool counts = selection->sorts() || selection->filters();
    if (counts && !options->cursor.empty() && !quantity(options->cursor).is_number())
      throw CLI::ValidationError("--cursor",
                                 "found '" + options->cursor + "', expected the number that `next` was");
    chosen.show = [&view, options, selection, from = source()](Caller& caller, const Output& output) {
      Listing(caller, from, view, *selection, *options, output).run();
    };
  });
}

}  // namespace ctl
