// The comment as GitHub's own Markdown renders it (cmark-gfm): no tag but ours, everything closed,
// tables are tables, and nothing of a name becomes a mention or a link.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/comment.h"
#include "tests/unit/render/rendered.h"
#include "tests/unit/render/report_cases.h"

namespace perfgate::render {
namespace {

bool has_cmark() { return std::system("cmark-gfm --version >/dev/null 2>&1") == 0; }

std::string html_of(const std::string& markdown, const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("perfgate_" + name + ".md");
  std::ofstream(path, std::ios::binary) << markdown;
  const std::string command =
      "cmark-gfm --unsafe -e table -e autolink -e strikethrough '" + path.string() + "'";
  std::string html;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return html;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    html.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0);
  std::filesystem::remove(path);
  return html;
}

struct Page {
  std::vector<std::string> problems;
  std::set<std::string> links;
  std::size_t tables = 0;
  std::string text;  ///< outside code, with entities
};

void take_tag(const std::string& tag, std::vector<std::string>& open, Page& page) {
  static const std::set<std::string> kOurs{"h3",      "h4",    "p",     "ul",    "li",     "strong",
                                           "code",    "pre",   "a",     "tr",    "th",     "td",
                                           "details", "table", "thead", "tbody", "summary"};
  const bool closes = tag.starts_with('/');
  const std::string name = tag.substr(closes ? 1 : 0, tag.find(' ') - (closes ? 1 : 0));
  if (!kOurs.contains(name)) page.problems.push_back("a tag that is not ours: " + tag);
  if (!closes) {
    open.push_back(name);
    if (name == "table") ++page.tables;
    static const std::regex kHref("^a href=\"([^\"]*)\"$");
    std::smatch href;
    if (name == "a") {
      const bool plain = std::regex_match(tag, href, kHref);
      page.links.insert(plain ? href[1].str() : tag);
    }
    return;
  }
  if (open.empty() || open.back() != name) {
    page.problems.push_back("closes what is not open: " + name);
    return;
  }
  open.pop_back();
}

Page read_page(const std::string& html) {
  Page page;
  std::vector<std::string> open;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      const std::size_t end = std::min(html.find('>', at), html.size());
      take_tag(html.substr(at + 1, end - at - 1), open, page);
      at = end + 1;
      continue;
    }
    const std::size_t end = std::min(html.find('<', at), html.size());
    const bool code = std::ranges::find(open, "code") != open.end();
    if (!code) page.text += html.substr(at, end - at);
    at = end;
  }
  for (const std::string& left : open) page.problems.push_back("left open: " + left);
  return page;
}

// As a reader, and GitHub in its search for references, sees it. All our entities are ASCII.
std::string decoded(std::string text) {
  static const std::regex kEntity("&#([0-9]+);");
  for (std::smatch found; std::regex_search(text, found, kEntity);)
    text.replace(static_cast<std::size_t>(found.position()),
                 static_cast<std::size_t>(found.length()), 1,
                 static_cast<char>(std::stoi(found[1].str())));
  return text;
}

void expect_sound(const std::string& markdown, const std::string& name) {
  const Page page = read_page(html_of(markdown, name));
  EXPECT_THAT(page.problems, ::testing::IsEmpty()) << name;
  std::size_t rules = 0;
  for (std::size_t at = markdown.find("\n| ---"); at != std::string::npos;
       at = markdown.find("\n| ---", at + 1))
    ++rules;
  EXPECT_EQ(page.tables, rules) << name;
  for (const std::string& link : page.links)
    EXPECT_TRUE(link.starts_with("https://github.com/org/repo/actions/runs/42")) << link;
  static const std::regex kReference(R"((^|[^\w`])(@\w|#\d|[!%]\d|GH-\d)|://)");
  std::smatch found;
  const std::string text = decoded(page.text);
  EXPECT_FALSE(std::regex_search(text, found, kReference)) << name << ": " << found.str();
}

class CommentHtml : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cmark()) GTEST_SKIP() << "cmark-gfm is not installed (Debian package cmark-gfm)";
  }
};

TEST(ReadPage, SeesWhatIsWrong) {
  const Page page = read_page("<p>a <img src=x> @b</p><details><a href=\"https://x/\">y</a>");
  EXPECT_THAT(page.problems, ::testing::ElementsAre("a tag that is not ours: img src=x",
                                                    "closes what is not open: p", "left open: p",
                                                    "left open: img", "left open: details"));
  EXPECT_THAT(page.links, ::testing::ElementsAre("https://x/"));
  EXPECT_EQ(decoded("&#64;a &#35;1"), "@a #1");
}

TEST_F(CommentHtml, EveryStoryIsSound) {
  for (const ReportCase& item : report_cases()) {
    expect_sound(render_comment({&item.result, 1}, comment_context(item.result)), item.name);
  }
}

TEST_F(CommentHtml, SeveralResultsCutOrNotAreSound) {
  std::vector<RunResult> results;
  for (ReportCase& item : report_cases()) results.push_back(std::move(item.result));
  CommentContext context = comment_context(results.front());
  context.settings = {"<b>@octocat #1 https://evil.example/ | `x` **y** </details>"};
  context.unreadable = {{"<i>/@octocat", NoResult::unreadable, "</details> #2 GH-3"}};
  for (const std::size_t budget : {16'000U, 24'000U, 40'000U, 64'000U, 900'000U}) {
    context.budget = budget;
    expect_sound(render_comment(results, context), "several_" + std::to_string(budget));
  }
}

}  // namespace
}  // namespace perfgate::render
