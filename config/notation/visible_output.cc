#include "config/notation/visible_output.h"

#include <string>
#include <string_view>

#include "config/notation/words.h"

namespace config {

std::streamsize VisibleOutput::xsputn(const char* text, std::streamsize size) {
  const std::string shown = escaped(std::string_view(text, static_cast<std::size_t>(size)));
  const auto wanted = static_cast<std::streamsize>(shown.size());
  return sink_->sputn(shown.data(), wanted) == wanted ? size : 0;
}

VisibleOutput::int_type VisibleOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

}  // namespace config
