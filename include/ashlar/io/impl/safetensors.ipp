// SPDX-License-Identifier: BSL-1.0
// The functions of io/safetensors.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE std::pair<stored_array, std::uint64_t> read_safetensors_entry(checked_file const& in, json_reader& json,
                                                                            std::string const& name) {
  stored_array a;
  a.name = name;
  std::vector<index_t> offsets;
  unsigned seen = 0;
  json.object([&](std::string const& key) {
    if (key == "dtype") {
      std::string const text = json.text();
      for (auto const& t : array_types)
        if (!t.in_safetensors.empty() && t.in_safetensors == text) a.type = t.type;
      if (a.type == array_type::unreadable)
        in.fail("expected a dtype of safetensors for " + shown(name, 100) + ", found " + shown(text));
      seen |= 1;
    } else if (key == "shape") {
      json.array([&] { a.extents.push_back(json.number()); });
      seen |= 2;
    } else if (key == "data_offsets") {
      json.array([&] { offsets.push_back(json.number()); });
      seen |= 4;
    } else {
      json.skip();  // as the library safetensors
    }
  });
  if (seen != 7) in.fail("expected dtype, shape and data_offsets for " + shown(name, 100) + ", found fewer");
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    in.fail("expected data_offsets of a begin and an end for " + shown(name, 100) + ", found other numbers");
  std::uint64_t const bytes = stored_bytes(a, [&](std::string const& what) { in.fail(what); });
  auto const found = static_cast<std::uint64_t>(offsets[1] - offsets[0]);
  if (found != bytes)
    in.fail("expected " + std::to_string(bytes) + " bytes for " + shown(name, 100) + " (" + extents_text(a.extents) +
            ", " + std::string(name_of(a.type).in_safetensors) + "), found " + std::to_string(found));
  a.begin = static_cast<std::uint64_t>(offsets[0]);
  return {a, bytes};
}

ASHLAR_INLINE std::vector<stored_array> arrays_of_safetensors(checked_file const& in) {
  if (in.size() < 8) in.fail("expected a safetensors file, of at least 8 bytes, found " + std::to_string(in.size()));
  std::uint64_t length = 0;
  in.read(0, &length, 8);
  if (length > largest_safetensors_header)
    in.fail("expected a safetensors file, with a header of at most 100000000 bytes, found one of " +
            std::to_string(length));
  if (length > in.size() - 8)
    in.fail("expected a header of " + std::to_string(length) + " bytes, found " + std::to_string(in.size() - 8));
  std::string text;
  comm_detail::resize_buffer(text, length);
  in.read(8, text.data(), text.size());
  std::size_t const first =
      (std::min)(text.find_first_not_of(" \t\n\r"), text.size());  // blanks, as the library safetensors
  if (first == text.size() || text[first] != '{')
    in.fail("expected a safetensors file, whose header begins with '{', found " + shown(text.substr(first, 1)));

  std::vector<std::pair<stored_array, std::uint64_t>> found;
  json_reader json(in, text);
  json.object([&](std::string const& name) {
    if (name == "__metadata__") {
      if (!json.null()) json.object([&](std::string const&) { json.text(); });
    } else
      found.push_back(read_safetensors_entry(in, json, name));
  });
  json.end();
  std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) {
    return std::pair(a.first.begin, a.second) < std::pair(b.first.begin, b.second);
  });
  std::uint64_t at = 0;
  std::vector<stored_array> arrays;
  for (auto& [a, bytes] : found) {
    if (a.begin != at)
      in.fail("expected " + shown(a.name, 100) + " to begin at byte " + std::to_string(at) +
              " of the elements, where the array before it ends, found byte " + std::to_string(a.begin));
    at += bytes;  // no overflow: an interval ends below 2^63
    a.begin += 8 + length;
    arrays.push_back(std::move(a));
  }
  if (std::uint64_t const rest = in.size() - 8 - length; rest != at)
    in.fail("expected " + std::to_string(at) + " bytes of elements, found " + std::to_string(rest));
  return arrays;
}

ASHLAR_INLINE std::map<std::string, std::string> weight_map_of(checked_file const& in) {
  if (in.size() > largest_safetensors_header)
    in.fail("expected an index of at most 100000000 bytes, found " + std::to_string(in.size()));
  std::string text;
  comm_detail::resize_buffer(text, in.size());
  in.read(0, text.data(), text.size());
  std::map<std::string, std::string> files;
  bool seen = false;
  json_reader json(in, text);
  json.object([&](std::string const& key) {
    if (key != "weight_map") return json.skip();
    seen = true;
    json.object([&](std::string const& array) {
      std::string const file = json.text();
      bool const is_printable = std::none_of(file.begin(), file.end(), [](unsigned char c) { return c < 0x20; });
      if (file.empty() || file == "." || file == ".." || file.find('/') != file.npos || !is_printable)
        in.fail("expected the name of a file beside the index for " + shown(array, 100) + ", found " + shown(file));
      files[array] = file;
    });
  });
  json.end();
  if (!seen) in.fail("expected a weight_map, as an index of safetensors files has, found none");
  return files;
}

ASHLAR_INLINE std::string safetensors_header(std::vector<stored_array*> const& arrays, named_texts const& metadata) {
  std::string text;
  for (auto const& [key, value] : metadata)
    text += (text.empty() ? "{\"__metadata__\":{" : ",") + json_text(key) + ":" + json_text(value);
  text = text.empty() ? "{" : text + "}";
  std::uint64_t at = 0;
  for (stored_array* const a : arrays) {
    text += (text.size() == 1 ? "" : ",") + json_text(a->name) + ":{\"dtype\":\"" +
            std::string(name_of(a->type).in_safetensors) + "\",\"shape\":[";
    for (std::size_t d = 0; d < a->extents.size(); ++d) {
      if (d != 0) text += ',';
      text += std::to_string(a->extents[d]);
    }
    a->begin = at;
    at += stored_bytes(*a, [](std::string const& what) { throw error("ashlar::save_arrays: " + what); });
    text += "],\"data_offsets\":[" + std::to_string(a->begin) + "," + std::to_string(at) + "]}";
  }
  text += "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  for (stored_array* const a : arrays) a->begin += 8 + text.size();
  std::string length(8, '\0');
  std::uint64_t const n = text.size();
  std::memcpy(length.data(), &n, 8);
  return length + text;
}

ASHLAR_INLINE std::string safetensors_index(std::map<std::string, std::string> const& weight_map,
                                            std::uint64_t total_bytes) {
  std::string text =
      "{\n  \"metadata\": {\n    \"total_size\": " + std::to_string(total_bytes) + "\n  },\n  \"weight_map\": {";
  char const* before = "\n    ";
  for (auto const& [array, file] : weight_map) {
    text += before + json_text(array) + ": " + json_text(file);
    before = ",\n    ";
  }
  return text + "\n  }\n}\n";
}

}  // namespace ashlar::io_detail
