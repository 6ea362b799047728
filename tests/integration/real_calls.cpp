// SPDX-License-Identifier: GPL-2.0-only
// Calls many functions of libstdc++, the same in every run: real_calls_cxx FOLDER ROUNDS
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace fs = std::filesystem;

struct base {
	virtual ~base() = default;
};
struct left : virtual base {
	int x = 1;
};
struct right : virtual base {
	int y = 2;
};
struct both : left, right {
};

static size_t text(int round)
{
	std::string a("some text"), b = a + " and more", c;
	std::wstring w(L"wide"), v = w + L" text";

	c = b.substr(3, 5);
	c.insert(2, "inserted").append(3, 'x').replace(1, 2, "replaced");
	c.erase(2, 3);
	c.resize(40, 'y');
	c.reserve(200);
	c.shrink_to_fit();
	c += std::to_string(round) + std::to_string(1.5);
	c.push_back('z');
	c.pop_back();
	c.assign("again").swap(a);
	v.insert(1, L"x").replace(0, 1, L"yy").append(w);
	return b.find("and") + b.rfind('e') + b.find_first_of("xyz") + b.find_last_not_of("e") +
	       b.compare(a) + v.find(L"text") + v.compare(w) + std::stoi("12") +
	       static_cast<size_t>(std::stod("1.5")) + a.copy(&c[0], 2);
}

static void streams()
{
	std::stringstream s;
	std::wostringstream ws;
	std::istringstream in("12 3.5 word 0x1f true\nline two\n");
	std::string word, line;
	double d = 0;
	int i = 0;
	bool yes = false;

	s << 1 << ' ' << 2u << ' ' << 3L << ' ' << 4UL << ' ' << 5.5 << ' ' << 6.5f << ' ' << true
	  << ' ' << "text" << ' ' << std::string("string") << ' ' << static_cast<void *>(nullptr)
	  << std::endl;
	s << std::hex << 255 << std::setw(10) << std::setfill('*') << std::fixed
	  << std::setprecision(3) << 3.14159L << std::scientific << 1e10 << std::flush;
	s.put('c').write("abc", 2);
	s.str();
	s.seekg(0);
	s.tellg();
	s.seekp(0);
	s.tellp();
	s.get();
	s.peek();
	s.unget();
	s.ignore(3);
	in >> i >> d >> word >> std::hex >> i >> std::boolalpha >> yes;
	std::getline(in, line);
	std::getline(in, line, 'w');
	in.clear();
	in.setstate(std::ios::eofbit);
	ws << 17 << L" wide " << 1.5;
	s.imbue(std::locale::classic());
	s.copyfmt(in);
}

static void files()
{
	std::ofstream out("cxx");
	std::fstream both_ways;
	std::filebuf buffer;
	std::string line;

	out << "a line\n" << 17 << '\n';
	out.write("bytes", 5);
	out.flush();
	out.close();
	both_ways.open("cxx", std::ios::in | std::ios::out);
	both_ways >> line;
	both_ways.seekg(2).get();
	both_ways.close();
	buffer.open("cxx", std::ios::in);
	buffer.sgetc();
	buffer.snextc();
	buffer.close();
	std::ifstream("missing").good();
	fs::create_directory("folder");
	fs::copy_file("cxx", "folder/copy", fs::copy_options::overwrite_existing);
	(void)fs::exists("folder/copy");
	(void)fs::file_size("cxx");
	fs::rename("folder/copy", "folder/renamed");
	for (const auto &entry : fs::recursive_directory_iterator("folder"))
		line = entry.path().filename().string();
	fs::path p = fs::path("a") / "b.c";
	p.replace_extension(".h").parent_path().lexically_normal();
	(void)fs::absolute("cxx");
	(void)fs::status("cxx");
	fs::remove_all("folder");
	fs::remove("cxx");
}

static size_t containers(int round)
{
	std::map<int, std::string> map;
	std::set<int> set;
	std::unordered_map<int, int> hashed;
	std::list<int> list;
	std::deque<int> deque;

	for (int i = 0; i < 20; i++) {
		map[(i * 7 + round) % 20] = "v";
		set.insert((i * 3) % 20);
		hashed[i * 31] = i;
		list.push_front(i);
		deque.push_back(i);
	}
	for (int i = 0; i < 20; i += 3) {
		map.erase(i);
		set.erase(i);
		hashed.erase(i * 31);
	}
	list.sort();
	list.reverse();
	size_t sum = 0;
	for (auto it = map.begin(); it != map.end(); ++it)
		sum += it->first;
	for (auto it = set.rbegin(); it != set.rend(); ++it)
		sum += *it;
	return sum + hashed.bucket_count() + list.front() + deque.back();
}

static size_t others()
{
	std::unique_ptr<base> object(new both);
	auto shared = std::make_shared<std::vector<int>>(10, 3);
	std::weak_ptr<std::vector<int>> weak = shared;
	std::error_code code(2, std::generic_category());
	std::runtime_error error("never thrown");
	std::logic_error copy("nor this");
	std::mt19937 random(5);
	std::locale locale("C");
	char digits[64];
	std::once_flag once;
	std::mutex mutex;
	std::condition_variable condition;

	std::call_once(once, [] {});
	{
		std::lock_guard<std::mutex> lock(mutex);
		condition.notify_all();
	}
	auto end = std::to_chars(digits, digits + sizeof(digits), 12345.678).ptr;
	double back = 0;
	std::from_chars(digits, end, back);
	auto *cross = dynamic_cast<right *>(object.get());
	auto &facet = std::use_facet<std::ctype<char>>(locale);
	std::string upper("upper");
	facet.toupper(&upper[0], &upper[0] + upper.size());
	return static_cast<size_t>(cross->y) + weak.lock()->size() + code.message().size() +
	       std::string(error.what()).size() + std::string(copy.what()).size() + random() +
	       std::use_facet<std::numpunct<char>>(locale).truename().size() +
	       std::hash<std::string>()("hashed") + typeid(*object).hash_code() % 2;
}

int main(int argc, char **argv)
{
	volatile size_t sum = 0;

	if (argc != 3)
		return 2;
	fs::current_path(argv[1]);
	for (int i = std::atoi(argv[2]); i > 0; i--) {
		sum = sum + text(i) + containers(i) + others();
		streams();
		files();
	}
	return 0;
}
