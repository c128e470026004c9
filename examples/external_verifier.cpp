// The token rule as a program that `python -m proofs check --exec ./external_verifier` can ask.
//
//     c++ -std=c++17 -O2 -ffp-contract=off examples/external_verifier.cpp -o external_verifier
//
// It greets, then answers one line for each line that it reads, and leaves at the end of its input; the page
// docs/protocol.md has the protocol. The reader below knows objects of numbers, texts and nested lists of numbers,
// which is all that a request holds. Put your own kernel where `verify` stands.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

struct Request {
    std::string id;  // as it came: it is only handed back
    Rows target, draft;
    std::vector<int> tokens;
    Row coins;
};

// First token whose cumulative weight exceeds coin * total; a token of weight zero is never it.
int draw(const Row& weights, double coin) {
    double total = 0, sum = 0;
    for (double weight : weights) total += weight;
    int last = -1;
    for (int token = 0; token < static_cast<int>(weights.size()); ++token) {
        sum += weights[token];
        if (weights[token] > 0) last = token;
        if (sum > coin * total) return token;
    }
    if (last < 0) throw std::runtime_error("a row without mass");
    return last;
}

std::vector<int> verify(const Request& request) {
    std::vector<int> emitted;
    const std::size_t gamma = request.tokens.size();
    for (std::size_t i = 0; i < gamma; ++i) {
        const Row& p = request.target.at(i);
        const Row& q = request.draft.at(i);
        const int x = request.tokens[i];
        if (request.coins.at(i) * q.at(x) < p.at(x)) {
            emitted.push_back(x);
            continue;
        }
        Row residual(p.size());
        for (std::size_t y = 0; y < p.size(); ++y) residual[y] = std::max(p[y] - q.at(y), 0.0);
        emitted.push_back(draw(residual, request.coins.at(i + 1)));
        return emitted;
    }
    emitted.push_back(draw(request.target.at(gamma), request.coins.at(gamma)));
    return emitted;
}

class Reader {
  public:
    explicit Reader(const std::string& text) : at_(text.c_str()) {}

    Request request() {
        Request found;
        expect('{');
        do {
            const std::string name = quoted();
            expect(':');
            if (name == "id") found.id = std::to_string(static_cast<long long>(number()));
            else if (name == "target") found.target = rows();
            else if (name == "draft") found.draft = rows();
            else if (name == "coins") found.coins = row();
            else if (name == "tokens") for (double token : row()) found.tokens.push_back(static_cast<int>(token));
            else throw std::runtime_error("a name that is not known: " + name);
        } while (next(','));
        expect('}');
        return found;
    }

  private:
    const char* at_;

    bool next(char wanted) {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
        if (*at_ != wanted) return false;
        ++at_;
        return true;
    }

    void expect(char wanted) {
        if (!next(wanted)) throw std::runtime_error(std::string("expected ") + wanted + " before " + at_);
    }

    std::string quoted() {
        expect('"');
        std::string text;
        while (*at_ != '"' && *at_ != '\0') text += *at_++;
        expect('"');
        return text;
    }

    double number() {
        char* end = nullptr;
        const double value = std::strtod(at_, &end);  // rounds to nearest: the very number that was written
        if (end == at_) throw std::runtime_error(std::string("expected a number before ") + at_);
        at_ = end;
        return value;
    }

    Row row() {
        Row found;
        expect('[');
        if (next(']')) return found;
        do found.push_back(number());
        while (next(','));
        expect(']');
        return found;
    }

    Rows rows() {
        Rows found;
        expect('[');
        if (next(']')) return found;
        do found.push_back(row());
        while (next(','));
        expect(']');
        return found;
    }
};

}  // namespace

int main() {
    std::cout << R"({"protocol": "specdec-proofs/exec/1", "coins": "gamma + 1", "dtype": "float64"})" << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
        Request request;
        try {
            request = Reader(line).request();
        } catch (const std::exception& error) {
            std::cerr << "no request: " << error.what() << std::endl;
            return 1;
        }
        try {
            const std::vector<int> emitted = verify(request);
            std::cout << "{\"id\": " << request.id << ", \"tokens\": [";
            for (std::size_t i = 0; i < emitted.size(); ++i) std::cout << (i ? ", " : "") << emitted[i];
            std::cout << "]}" << std::endl;  // flushes: the answer is waited for
        } catch (const std::exception& error) {
            // A crash of the verifier. The words are plain, so that nothing in them needs a backslash.
            std::cout << "{\"id\": " << request.id << ", \"error\": \"" << error.what() << "\"}" << std::endl;
        }
    }
    return 0;
}
