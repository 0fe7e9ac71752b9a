#include "commonplace/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "tests/io/python.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace safetensors_test {

using test::TemporaryDirectory;

/// A safetensors file made by hand.
std::string file_of(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file + header + data;
}

std::string error_of(const std::string& file) {
  try {
    const TensorFile opened(file, "x.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
bool same_bits(std::span<const T> a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Something of every type, with the values that lose bits first.
struct Sample {
  Matrix matrix = Matrix::Random(5, 3);
  MatrixD matrix_d = MatrixD::Random(2, 7);
  std::vector<float> floats{-0.0F, std::numeric_limits<float>::denorm_min(),
                            std::bit_cast<float>(0x7fc12345U)};
  std::vector<double> doubles{0.1, -1e-310, std::numeric_limits<double>::infinity()};
  std::vector<std::int32_t> ints{-1, std::numeric_limits<std::int32_t>::min(), 7};
  std::vector<std::int64_t> longs{std::numeric_limits<std::int64_t>::min(), 0, 9};
  std::vector<std::string> strings{"", "tag", "Straße", std::string("a\0b", 3), ""};
  Sparse sparse;

  Sample() {
    sparse.columns = 10;
    sparse.push(2, 0.5F);
    sparse.push(9, -1.0F);
    sparse.end_row();
    sparse.end_row();
    sparse.push(0, 3.0F);
    sparse.end_row();
  }

  TensorWriter writer() const {
    TensorWriter result;
    result.set("note", "quotes \" and \\ and ü");
    result.add("matrix", matrix);
    result.add("matrix_d", matrix_d);
    result.add("floats", floats);
    result.add("doubles", doubles);
    result.add("ints", ints);
    result.add("longs", longs);
    result.add_strings("strings", strings);
    result.add_sparse("sparse", sparse.view());
    return result;
  }

  void expect_in(const TensorFile& file) const {
    EXPECT_EQ(file.metadata("note"), "quotes \" and \\ and ü");
    EXPECT_TRUE((file.matrix("matrix").array() == matrix.array()).all());
    EXPECT_TRUE((file.matrix_d("matrix_d").array() == matrix_d.array()).all());
    EXPECT_TRUE(same_bits(file.floats("floats"), floats));
    EXPECT_TRUE(same_bits(file.doubles("doubles"), doubles));
    EXPECT_TRUE(same_bits(file.ints("ints"), ints));
    EXPECT_TRUE(same_bits(file.longs("longs"), longs));
    EXPECT_EQ(file.strings("strings"), strings);
    const SparseView view = file.sparse("sparse");
    EXPECT_EQ(view.rows, 3);
    EXPECT_EQ(view.columns, 10);
    EXPECT_TRUE(same_bits(view.starts, sparse.starts));
    EXPECT_TRUE(same_bits(view.indices, sparse.indices));
    EXPECT_TRUE(same_bits(view.values, sparse.values));
  }
};

TEST(Safetensors, RoundTripsToTheBitInMemoryAndOnDisk) {
  const Sample sample;
  const TensorWriter writer = sample.writer();
  sample.expect_in(TensorFile(writer.bytes(), "memory"));
  const TemporaryDirectory folder;
  writer.write(folder / "a.safetensors");
  sample.expect_in(TensorFile(folder / "a.safetensors"));
  EXPECT_EQ(test::slurp(folder / "a.safetensors"), writer.bytes());
}

TEST(Safetensors, WriterKeepsWhatItMadeWhenItGrowsMovesAndIsCopied) {
  TensorWriter writer;
  for (int i = 0; i < 100; ++i) writer.add_strings(concat("s", i), {std::to_string(i)});
  const TensorWriter copy = writer;
  const TensorWriter moved = std::move(writer);
  const TensorFile file(moved.bytes(), "memory");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(file.strings(concat("s", i)), std::vector{std::to_string(i)});
  }
  EXPECT_EQ(copy.bytes(), moved.bytes());
}

TEST(Safetensors, ViewsSurviveAMove) {
  const Sample sample;
  const TemporaryDirectory folder;
  sample.writer().write(folder / "a.safetensors");
  const std::string unaligned =
      file_of(R"({"f":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}} )", std::string(8, '\0'));
  std::vector<TensorFile> files;
  files.emplace_back(folder / "a.safetensors");
  files.emplace_back(sample.writer().bytes(), "memory");
  files.emplace_back(unaligned, "unaligned");
  const auto floats = files[0].floats("floats");
  const auto ints = files[1].ints("ints");
  const auto doubles = files[2].doubles("f");
  for (int i = 0; i < 20; ++i) files.emplace_back(file_of("{}"), "small");
  EXPECT_TRUE(same_bits(floats, sample.floats));
  EXPECT_TRUE(same_bits(ints, sample.ints));
  EXPECT_EQ(doubles.data(), files[2].doubles("f").data());
  EXPECT_EQ(doubles[0], 0.0);
  sample.expect_in(files[0]);
}

TEST(Safetensors, FilesWithoutTensors) {
  EXPECT_TRUE(TensorFile(TensorWriter().bytes(), "memory").names().empty());
  EXPECT_TRUE(TensorFile(file_of("{}"), "memory").metadata().empty());
}

TEST(Safetensors, EmptyPartsRoundTrip) {
  TensorWriter writer;
  const Matrix no_rows(0, 4);
  const Sparse no_entries{5, {0}, {}, {}};
  writer.add("no_rows", no_rows);
  writer.add("none", std::span<const float>());
  writer.add_strings("strings", {});
  writer.add_sparse("sparse", no_entries.view());
  const TensorFile file(writer.bytes(), "memory");
  EXPECT_EQ(file.matrix("no_rows").rows(), 0);
  EXPECT_EQ(file.matrix("no_rows").cols(), 4);
  EXPECT_TRUE(file.floats("none").empty());
  EXPECT_TRUE(file.strings("strings").empty());
  EXPECT_EQ(file.sparse("sparse").rows, 0);
  EXPECT_EQ(file.sparse("sparse").columns, 5);
}

TEST(Safetensors, AnIndependentReaderSeesTheSame) {
  if (!test::has_python()) GTEST_SKIP() << "there is no /usr/bin/python3";
  const TemporaryDirectory folder;
  const Matrix matrix{{1.5F, -2.0F}, {0.25F, 4.0F}};
  const std::vector<double> doubles{0.1};
  const std::vector<std::int32_t> ints{-3, 4};
  TensorWriter writer;
  describe_model(writer, "test", 2, R"({"rank":10})");
  writer.add("matrix", matrix);
  writer.add("doubles", doubles);
  writer.add("ints", ints);
  writer.add_strings("tags", {"ab", "", "c"});
  writer.write(folder / "a.safetensors");
  const auto seen = test::run_script("read_safetensors.py", folder / "a.safetensors");
  EXPECT_EQ(seen.status, 0);
  EXPECT_EQ(seen.output,
            "format = commonplace\nkind = test\nlayout = 2\nlibrary_version = " COMMONPLACE_VERSION
            "\noptions = {\"rank\":10}\n"
            "doubles F64 [1] [0.1]\n"
            "ints I32 [2] [-3, 4]\n"
            "matrix F32 [2, 2] [1.5, -2.0, 0.25, 4.0]\n"
            "tags.bytes U8 [3] [97, 98, 99]\n"
            "tags.ends I64 [3] [2, 2, 3]\n"
            "data at a multiple of 64: True\nchecksum holds: True\n");
}

TEST(Safetensors, OpensWhatAnIndependentWriterMade) {
  if (!test::has_python()) GTEST_SKIP() << "there is no /usr/bin/python3";
  const TemporaryDirectory folder;
  const auto path = folder / "a.safetensors";
  const auto written = test::run_script("write_safetensors.py", path);
  ASSERT_EQ(written.status, 0) << written.output;
  const TensorFile file(path);
  EXPECT_EQ(file.metadata("author"), "söme øne");
  EXPECT_EQ(file.names().size(), 7U);
  const MatrixView weights = file.matrix("weights");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(weights.data()) % sizeof(float), 0U);
  EXPECT_EQ(weights(0, 0), 1.5F);
  EXPECT_EQ(weights(1, 1), 1e-30F);
  EXPECT_EQ(file.longs("counts")[0], -(std::int64_t{1} << 62));
  EXPECT_EQ(file.matrix_d("precise")(1, 0), -0.2);
  EXPECT_EQ(file.matrix_d("nothing").cols(), 4);
  EXPECT_EQ(file.tensor("halves").type, TensorType::other);
  EXPECT_EQ(file.tensor("halves").dtype, "F16");
  EXPECT_EQ(file.tensor("flags").bytes[2], std::byte{1});
  EXPECT_EQ(file.tensor("scalar").elements(), 1);
  EXPECT_THROW(file.floats("halves"), Error);
  EXPECT_THROW(require_kind(file, "test", 1), Error);
}

TEST(Safetensors, EveryTruncationAndEveryFlippedBitIsRefused) {
  const std::string file = Sample().writer().bytes();
  ASSERT_EQ(error_of(file), "no error");
  for (std::size_t size = 0; size < file.size(); ++size) {
    ASSERT_NE(error_of(file.substr(0, size)), "no error") << size;
  }
  ASSERT_NE(error_of(file + '\0'), "no error");
  std::string flipped = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      flipped[at] = static_cast<char>(file[at] ^ 1 << bit);
      ASSERT_NE(error_of(flipped), "no error") << "bit " << bit << " of byte " << at;
    }
    flipped[at] = file[at];
  }
  flipped.back() ^= 1;
  EXPECT_NE(error_of(flipped).find("checksum"), std::string::npos);
}

TEST(Safetensors, BadHeadersAreRefused) {
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}";
  };
  const auto one = [&](const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
    return file_of(R"({"a":)" + tensor(dtype, shape, offsets) + "}", std::string(8, '\0'));
  };
  const std::string good = tensor("F32", "[2]", "[0,8]");
  const std::string eight(8, '\0');
  EXPECT_EQ(error_of(one("F32", "[2]", "[0,8]")), "no error");
  EXPECT_EQ(error_of(one("STRANGE", "[77]", "[0,8]")), "no error");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "too few"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "announces a header"},
      {std::string("\x00\xe1\xf5\x05\x00\x00\x00\x00{}", 10), "announces a header"},
      {file_of(""), "does not begin"},
      {file_of(" {}"), "does not begin"},
      {file_of("[]"), "does not begin"},
      {file_of("{} {}"), "not JSON"},
      {file_of(std::string("{}\0", 3)), "zero byte"},
      {file_of("{\"a\xff\":{}}"), "not JSON"},
      {file_of(R"({"a":5})"), "the number 5"},
      {file_of(R"({"a":null})"), "null"},
      {file_of(R"({"a":[]})"), "a list"},
      {file_of(R"({"a":{}})"), "lacks"},
      {file_of(R"({"__metadata__":{"a":1}})"), "values are texts"},
      {file_of(R"({"__metadata__":{"a":{}}})"), "an object"},
      {file_of(R"({"__metadata__":{"a":"1","a":"1"}})"), "twice"},
      {file_of(R"({"__metadata__":{},"__metadata__":{}})"), "two __metadata__"},
      {file_of(R"({"__metadata__":{"format":"commonplace"}})"), "has no checksum"},
      {file_of(R"({"__metadata__":{"checksum":"xxh64:0"}})"), "checksum"},
      {file_of(R"({"a":)" + good + R"(,"a":)" + good + "}", eight), "twice"},
      {file_of(R"({"a":{"dtype":"F32","dtype":"F32"}})"), "twice"},
      {file_of(R"({"a":{"colour":"red"}})"), "unknown property 'colour'"},
      {file_of(R"({"a":)" + good + R"(,"b":)" + good + "}", eight), "should begin at 8"},
      {file_of("{}", eight), "belong to no tensor"},
      {one("F32", "[2.0]", "[0,8]"), "the number 2.0"},
      {one("F32", "[-2]", "[0,8]"), "the number -2"},
      {one("F32", "[[2]]", "[0,8]"), "a list"},
      {one("F32", "\"2\"", "[0,8]"), "a text"},
      {one("F32", "[3]", "[0,8]"), "needs 12"},
      {one("F32", "[2]", "[0,8,9]"), "data_offsets"},
      {one("F32", "[1]", "[4,8]"), "should begin at 0"},
      {one("F32", "[1]", "[0,4]"), "belong to no tensor"},
      {one("F32", "[4]", "[0,16]"), "not complete"},
      {one("F32", "[2]", "[8,0]"), "should begin at 0"},
      {one("F32", "[4611686018427387904,4611686018427387904]", "[0,8]"), "larger than any file"},
      {one("F32", "[18446744073709551615]", "[0,8]"), "which no file holds"},
      {one("STRANGE", "[4611686018427387904,8]", "[0,8]"), "larger than any file"},
  };
  for (const auto& [file, expected] : cases) {
    const std::string message = error_of(file);
    EXPECT_TRUE(message.starts_with("x.safetensors: ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\nwanted: " << expected;
  }
}

TEST(Safetensors, DeepNestingAndManyDimensionsAreRefused) {
  EXPECT_NE(error_of(file_of(R"({"a":)" + std::string(1'000'000, '['))), "no error");
  std::string many = "1";
  for (int i = 0; i < 100; ++i) many += ",1";
  const std::string header =
      R"({"a":{"dtype":"U8","shape":[)" + many + R"(],"data_offsets":[0,1]}})";
  EXPECT_NE(error_of(file_of(header, "x")).find("more than 64"), std::string::npos);
}

TEST(Safetensors, TypedReadsRefuseOtherTypesAndShapes) {
  const Sample sample;
  const TensorFile file(sample.writer().bytes(), "m.safetensors");
  EXPECT_THROW(file.matrix("floats"), Error);
  EXPECT_THROW(file.matrix("matrix_d"), Error);
  EXPECT_THROW(file.matrix_d("matrix"), Error);
  EXPECT_THROW(file.floats("matrix"), Error);
  EXPECT_THROW(file.ints("longs"), Error);
  EXPECT_THROW(file.tensor("missing"), Error);
  EXPECT_THROW(file.strings("missing"), Error);
  EXPECT_THROW(file.sparse("strings"), Error);
  EXPECT_THROW(file.metadata("missing"), Error);
  EXPECT_TRUE(file.has("floats"));
  EXPECT_FALSE(file.has("missing"));
}

/// Stores parts that do not fit and returns the message of reading them.
std::string sparse_error(const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& starts,
                         const std::vector<std::int32_t>& indices, std::size_t values) {
  const std::vector<float> numbers(values, 1.0F);
  TensorWriter writer;
  writer.add("s.shape", shape);
  writer.add("s.starts", starts);
  writer.add("s.indices", indices);
  writer.add("s.values", numbers);
  try {
    TensorFile(writer.bytes(), "m").sparse("s");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Safetensors, SparsePartsMustFit) {
  EXPECT_EQ(sparse_error({2, 3}, {0, 1, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 3}, {3, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 3}, {-1, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 3}, {2, 1, 0}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 3}, {2, 1, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 4, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, -1, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {1, 1, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 4}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 2}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({3, 3}, {0, 1, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({-1, 3}, {}, {}, 0), "no error");
  EXPECT_NE(sparse_error({2}, {0, 1, 3}, {2, 0, 1}, 3), "no error");
  EXPECT_NE(sparse_error({2, 3}, {0, 1, 3}, {2, 0, 1}, 2), "no error");
}

TEST(Safetensors, StringEndsMustFit) {
  for (const std::vector<std::int64_t>& ends :
       std::vector<std::vector<std::int64_t>>{{}, {3}, {5, 4}, {-1, 4}, {2, 5}}) {
    const std::string header = R"({"s.bytes":{"dtype":"U8","shape":[4],"data_offsets":[)" +
                               concat(8 * ends.size(), ",", 8 * ends.size() + 4) +
                               R"(]},"s.ends":{"dtype":"I64","shape":[)" +
                               std::to_string(ends.size()) + R"(],"data_offsets":[0,)" +
                               std::to_string(8 * ends.size()) + "]}}";
    const std::string data(reinterpret_cast<const char*>(ends.data()), 8 * ends.size());
    EXPECT_THROW(TensorFile(file_of(header, data + "abcd"), "m").strings("s"), Error);
  }
}

TEST(Safetensors, WriterRefusesWhatTheFormatCannotHold) {
  TensorWriter writer;
  const std::vector<float> values{1};
  writer.add("a", values);
  EXPECT_THROW(writer.add("a", values), Error);
  EXPECT_THROW(writer.add("__metadata__", values), Error);
  EXPECT_THROW(writer.add("\xff", values), Error);
  EXPECT_THROW(writer.set("key", "\xff"), Error);
  EXPECT_THROW(writer.set("checksum", "mine"), Error);
  EXPECT_THROW(writer.set("format", "mine"), Error);
  EXPECT_THROW(writer.add_sparse("s", SparseView{}), Error);
}

TEST(ModelFile, KindAndLayoutAreChecked) {
  const auto model = [](const std::string& kind, int layout) {
    TensorWriter writer;
    describe_model(writer, kind, layout, "{}");
    return TensorFile(writer.bytes(), "m.safetensors");
  };
  EXPECT_EQ(require_kind(model("plsa", 1), "plsa", 2), 1);
  EXPECT_EQ(require_kind(model("plsa", 2), "plsa", 2), 2);
  const auto message = [&](const std::string& kind, int layout) -> std::string {
    try {
      require_kind(model(kind, layout), "plsa", 2);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("tfidf", 1).find("kind 'tfidf'; 'plsa' is expected"), std::string::npos);
  EXPECT_NE(message("plsa", 3).find("reads up to 2"), std::string::npos);
  EXPECT_NE(message("plsa", 3).find(COMMONPLACE_VERSION), std::string::npos);
  EXPECT_THROW(model("plsa", 0), Error);
  EXPECT_THROW(require_kind(TensorFile(TensorWriter().bytes(), "m"), "plsa", 1), Error);
}

}  // namespace safetensors_test
}  // namespace commonplace
