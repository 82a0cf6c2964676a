// Text in columns, kernel names in little room, and names that were made to do harm.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reporters/render/display_text.h"
#include "reporters/render/doctor_text.h"
#include "reporters/render/json_text.h"
#include "reporters/render/junit.h"
#include "reporters/render/kernel_name.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/table.h"

namespace perfgate::render {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\u2588\u258F"), 2U) << "block elements take one column";
  EXPECT_EQ(display_width("\u6CE8\u610F"), 4U) << "wide characters take two";
  EXPECT_EQ(display_width("e\u0301"), 1U) << "combining marks take none";
  EXPECT_EQ(display_width("\xff\xfe"), 2U) << "a broken byte is one replacement character";
}

TEST(Printable, LetsNoEscapeSequenceOrOverrideThrough) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\td", true), "a?[2Jb c d");
  EXPECT_EQ(printable("x\u202Eexe.y\u200B", true), "x?exe.y?");
  EXPECT_EQ(printable("\u6CE8", false), "?");
}

TEST(Printable, LetsNothingInvisibleThrough) {
  for (const char* hidden : {"\U000E0041", "\U000E007F", "\u3164", "\u115F", "\u1160", "\uFFA0",
                             "\u034F", "\u180E", "\u2800", "\uFE0F", "\U000E0100", "\U0001D173"}) {
    const std::string name = std::string("main") + hidden;
    EXPECT_EQ(printable(name, true), "main?") << name;
    EXPECT_EQ(markdown_text(name), "main?") << name;
    EXPECT_EQ(xml_text(name), "main?") << name;
  }
  EXPECT_EQ(printable("\u3165\uFFA1\u2801", true), "\u3165\uFFA1\u2801")
      << "their neighbours are seen";
}

TEST(Printable, BreaksWhatARunnerOfCiWouldObey) {
  EXPECT_EQ(printable("::stop-commands::abc", true), ": :stop-commands::abc");
  EXPECT_EQ(printable("  ::add-mask::x", true), "  : :add-mask::x");
  EXPECT_EQ(printable("a ::error::b", true), "a : :error::b") << "a line may be wrapped there";
  EXPECT_EQ(printable("\u00A0::error::b", true), "\u00A0: :error::b") << "blanks of any kind";
  EXPECT_EQ(printable("\u2003::error::b", true), "\u2003: :error::b");
  EXPECT_EQ(printable(":::::", true), ": : : : :");
  EXPECT_EQ(printable("x##[error]y ##vso[task.x]", true), "x# #[error]y # #vso[task.x]");
  EXPECT_EQ(printable_lines("a\n::error::b"), "a\n: :error::b");
  EXPECT_EQ(printable("at::native::f ## 12 ###", true), "at::native::f ## 12 ###");
  EXPECT_EQ(printable(printable(" :::x###[", true), true), printable(" :::x###[", true));
  EXPECT_EQ(markdown_block("::error::x"), "```text\n: :error::x\n```\n");
  EXPECT_EQ(xml_text("##[error]"), "&#35;#[error]");
  EXPECT_EQ(json_text("##[error]"), "\"\\u0023#[error]\"\n");
  EXPECT_EQ(shell_word("::x::"), "':'':x::'") << "a shell reads the same word";
  EXPECT_EQ(shell_word("##[x"), "'#''#[x'");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::::error::x", 20, true), ": :error::x");
}

TEST(Cut, KeepsTheWidthAndShowsTheCut) {
  EXPECT_EQ(cut_end("abcdef", 4, true), "abc\u2026");
  EXPECT_EQ(cut_end("abcdef", 5, false), "ab...");
  EXPECT_EQ(cut_middle("abcdefgh", 5, true), "ab\u2026gh");
  EXPECT_EQ(display_width(cut_middle("\u6CE8\u610F\u529B\u5185\u6838", 6, true)), 5U)
      << "no half of a wide character";
}

TEST(Wrap, BreaksAtSpacesButNotBeforeAUnit) {
  EXPECT_EQ(wrap("one two three", 7, true), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("spread 0.04 %;", 12, true), (std::vector<std::string>{"spread", "0.04 %;"}));
  EXPECT_EQ(wrap("", 10, true), (std::vector<std::string>{""}));
}

TEST(Bar, IsVisibleForEveryShareAboveZero) {
  EXPECT_EQ(bar(0.0, 10, true), "");
  EXPECT_EQ(bar(0.0001, 10, true), "\u258F");
  EXPECT_EQ(display_width(bar(1.0, 10, true)), 10U);
  EXPECT_EQ(display_width(bar(7.0, 10, true)), 10U) << "never longer than its room";
  EXPECT_EQ(bar(0.5, 10, false), "#####");
  EXPECT_EQ(bar(0.01, 10, false), ".");
}

struct NameCase {
  const char* name;
  std::size_t width;
  const char* expected;
};

TEST(KernelName, DropsWhatSaysLeastFirst) {
  const std::array<NameCase, 7> cases{{
      {"void f<int>(int)", 40, "void f<int>(int)"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int, "
       "float)",
       40, "vectorized_elementwise_kernel<4, FillF\u2026>"},
      {"void at::native::(anonymous namespace)::layer_norm_kernel<float, float>(float const*)", 34,
       "layer_norm_kernel<float, float>"},
      {"void perfgate::rms_norm<__nv_bfloat16>(__nv_bfloat16 const*)", 12, "rms_norm"},
      {"nvjet_tst_64x8_64x16_4x1_v_bz_TNT", 17, "nvjet_ts\u2026v_bz_TNT"},
      {"bool a::operator<(int, a::very::long_argument_type)", 11, "operator<"},
      {"void a<b>::c::kernel(int, int, int, int, int)", 8, "kernel"},
  }};
  for (const NameCase& item : cases) {
    EXPECT_EQ(short_kernel_name(item.name, item.width, true), item.expected);
  }
}

TEST(KernelName, NeverGetsWiderThanAsked) {
  const std::array names{"<<<<>>>>(((",
                         "void",
                         "a::b::c::d::e::f::g::h",
                         ">>>>>>>>>>>>>>>>>>>>>>>>",
                         "::::::::::::::::::::::",
                         "f<g<h<i<j<k<l<m<n<o<p>>>>>>>>>>>",
                         "operator()()()()()()()()()()()()",
                         "{lambda()#1}::operator()() const"};
  for (const char* name : names) {
    for (std::size_t width = 4; width < 24; ++width) {
      EXPECT_LE(display_width(short_kernel_name(name, width, true)), width) << name;
      EXPECT_LE(display_width(short_kernel_name(name, width, false)), width) << name;
    }
  }
}

TEST(MarkdownText, MeansNothing) {
  EXPECT_EQ(markdown_text("a|b"), "a&#124;b");
  EXPECT_EQ(markdown_text("<b>&`*[x]"), "&#60;b&#62;&#38;&#96;&#42;&#91;\u200Bx&#93;");
  EXPECT_EQ(markdown_text("@octocat #12"), "@\u200Boctocat #\u200B12")
      << "an entity would still mention";
  EXPECT_EQ(markdown_text("step_time_p50 _x_"), "step_time_p50 &#95;x&#95;");
  EXPECT_EQ(markdown_text("http://a www.b"), "http:\u200B//a www&#46;b")
      << "GitLab looks for addresses in the rendered text too";
  EXPECT_EQ(markdown_text("!12 %3 ~x &4 $5 *it GH-6 gl-7"),
            "!\u200B12 %\u200B3 &#126;\u200Bx &#38;\u200B4 &#36;\u200B5 &#42;\u200Bit GH-\u200B6 "
            "gl-\u200B7")
      << "references of GitLab, and GitHub's other issue";
  EXPECT_EQ(markdown_text("5 % of 3 & 4! a-6 GH-x"), "5 % of 3 &#38; 4! a-6 GH-x");
  EXPECT_EQ(markdown_text("1 -> 2 --> x->y"), "1 -> 2 --&#62; x-&#62;y") << "an arrow stays one";
  EXPECT_EQ(markdown_text("one\ntwo\u202E"), "one two?");
  EXPECT_EQ(markdown_item("- x"), "&#45; x");
  EXPECT_EQ(markdown_text("+1.0 %"), "+1.0 %") << "a table cell needs no such care";
}

TEST(MarkdownCode, HoldsAnyName) {
  EXPECT_EQ(markdown_code("f<int>@x #1"), "`f<int>@x #1`");
  EXPECT_EQ(markdown_code("a|b`c\\d"), "<code>a&#124;b&#96;c&#92;d</code>");
  EXPECT_EQ(markdown_code(""), "");
  EXPECT_EQ(markdown_block("a\n```\nb"), "````text\na\n```\nb\n````\n");
}

TEST(Table, AlignsAndStaysWithinTheWidth) {
  const std::array columns{Column{"workload", Column::Align::left, Column::Cut::middle},
                           Column{"ms", Column::Align::right, Column::Cut::none}};
  const std::vector<std::vector<std::string>> rows{
      {"decode_8b", "4.27"}, {"x", "11.1"}, {"missing cell"}};
  EXPECT_EQ(render_table(columns, rows, TerminalStyle{}),
            "workload        ms\n"
            "decode_8b     4.27\n"
            "x             11.1\n"
            "missing cell\n");
  EXPECT_EQ(
      render_table(columns, rows, TerminalStyle{.colour = false, .width = 12, .unicode = true}),
      "workl\u2026    ms\n"
      "dec\u20268b  4.27\n"
      "x       11.1\n"
      "mis\u2026ll\n");
  EXPECT_EQ(render_table(columns, {}, TerminalStyle{}), "workload  ms\n");
}

TEST(Doctor, SaysTheStateWhatWasFoundAndWhatToDo) {
  using State = DoctorCheck::State;
  const std::array checks{
      DoctorCheck{"GPU", State::ok, "NVIDIA H200, 139.8 GiB", ""},
      DoctorCheck{"CUPTI", State::problem, "not found in the toolkit, the program or a wheel",
                  "Install the CUDA toolkit 13.0, or name libcupti in PERFGATE_CUPTI."},
      DoctorCheck{"other processes", State::unknown, "cannot tell inside this pid namespace", ""}};
  EXPECT_EQ(render_doctor(checks, TerminalStyle{}),
            "ok       GPU              NVIDIA H200, 139.8 GiB\n"
            "PROBLEM  CUPTI            not found in the toolkit, the program or a wheel\n"
            "         -> Install the CUDA toolkit 13.0, or name libcupti in PERFGATE_CUPTI.\n"
            "unknown  other processes  cannot tell inside this pid namespace\n"
            "\n"
            "1 PROBLEM, 1 unknown, 1 ok\n");
  EXPECT_EQ(render_doctor({}, TerminalStyle{}), "\nnothing was checked\n");
}

}  // namespace
}  // namespace perfgate::render
