// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pytorch/picklemachine.h"

#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace headscope::io {

namespace {

constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostPickled = 4'000'000; // of 64 bytes

enum class Call { None, Tensor, Parameter, Dict, Size };

/// The globals that tables of tensors need. A storage's class tells its dtype.
struct KnownGlobal {
    std::string_view name;
    Call call = Call::None;
    std::optional<Dtype> dtype = {};
};

constexpr std::array kGlobals = {
    KnownGlobal{"torch._utils._rebuild_tensor_v2", Call::Tensor},
    KnownGlobal{"torch._utils._rebuild_parameter", Call::Parameter},
    KnownGlobal{"collections.OrderedDict", Call::Dict},
    KnownGlobal{"torch.Size", Call::Size},
    KnownGlobal{"torch.float16"}, // dtypes that metadata names
    KnownGlobal{"torch.bfloat16"},
    KnownGlobal{"torch.float32"},
    KnownGlobal{"torch.float64"},
    KnownGlobal{"torch.FloatStorage", Call::None, Dtype::F32},
    KnownGlobal{"torch.HalfStorage", Call::None, Dtype::F16},
    KnownGlobal{"torch.BFloat16Storage", Call::None, Dtype::BF16},
    KnownGlobal{"torch.DoubleStorage", Call::None, Dtype::F64},
    KnownGlobal{"torch.LongStorage", Call::None, Dtype::I64},
    KnownGlobal{"torch.IntStorage", Call::None, Dtype::I32},
    KnownGlobal{"torch.ShortStorage", Call::None, Dtype::I16},
    KnownGlobal{"torch.CharStorage", Call::None, Dtype::I8},
    KnownGlobal{"torch.ByteStorage", Call::None, Dtype::U8},
    KnownGlobal{"torch.BoolStorage", Call::None, Dtype::Bool},
};

const KnownGlobal* find(std::string_view name)
{
    const auto found =
        std::find_if(kGlobals.begin(), kGlobals.end(), [&](const KnownGlobal& known) { return known.name == name; });
    return found == kGlobals.end() ? nullptr : &*found;
}

} // namespace

void PickleMachine::fail(std::string why, std::string instead)
{
    if (!m_error)
        m_error = Error{Error::Kind::Input, std::move(why), std::move(instead)};
}

std::string_view PickleMachine::take(std::uint64_t size)
{
    if (size > m_rest.size()) {
        fail("its pickle is cut short");
        m_rest = {};
        return {};
    }
    const std::string_view taken = m_rest.substr(0, static_cast<std::size_t>(size));
    m_rest.remove_prefix(taken.size());
    return taken;
}

template <typename T> T PickleMachine::number()
{
    T value = 0;
    if (const std::string_view bytes = take(sizeof value); bytes.size() == sizeof value)
        std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::string_view PickleMachine::line()
{
    const std::size_t end = m_rest.find('\n');
    const std::string_view taken = take(end == std::string_view::npos ? m_rest.size() + 1 : end + 1);
    return taken.empty() ? taken : taken.substr(0, taken.size() - 1);
}

PickleMachine::Index PickleMachine::push(PickleValue value)
{
    m_values.push_back(std::move(value));
    m_stack.push_back(static_cast<Index>(m_values.size() - 1));
    return m_stack.back();
}

PickleMachine::Index PickleMachine::pop()
{
    if (m_stack.empty() || m_values[m_stack.back()].kind == Kind::Mark) {
        fail("its pickle pops more from its stack than is on it");
        m_values.emplace_back();
        return static_cast<Index>(m_values.size() - 1);
    }
    const Index top = m_stack.back();
    m_stack.pop_back();
    return top;
}

std::vector<PickleMachine::Index> PickleMachine::popToMark()
{
    const auto mark =
        std::find_if(m_stack.rbegin(), m_stack.rend(), [&](Index index) { return m_values[index].kind == Kind::Mark; });
    if (mark == m_stack.rend()) {
        fail("its pickle has no mark where it needs one");
        return {};
    }
    std::vector<Index> items(mark.base(), m_stack.end());
    m_stack.resize(m_stack.size() - items.size() - 1);
    return items;
}

void PickleMachine::tuple(std::size_t count)
{
    std::vector<Index> items(count);
    for (std::size_t i = count; i > 0; --i)
        items[i - 1] = pop();
    push({.kind = Kind::Tuple, .items = std::move(items)});
}

void PickleMachine::append(const std::vector<Index>& items, Kind kind)
{
    const Index target = pop();
    if (m_values[target].kind != kind || (kind == Kind::Dict && items.size() % 2 != 0))
        return fail("its pickle adds to an object that is not a list or table");
    auto& all = m_values[target].items;
    all.insert(all.end(), items.begin(), items.end());
    m_stack.push_back(target);
}

void PickleMachine::memoize(std::uint64_t key)
{
    if (m_stack.empty())
        return fail("its pickle pops more from its stack than is on it");
    m_memo[key] = m_stack.back();
}

void PickleMachine::recall(std::uint64_t key)
{
    const auto found = m_memo.find(key);
    if (found == m_memo.end() || m_values[found->second].kind == Kind::Mark)
        return fail("its pickle reads a value that it has not stored");
    m_stack.push_back(found->second);
}

void PickleMachine::global(std::string_view module, std::string_view name)
{
    const std::string whole = std::string(module) + "." + std::string(name);
    const KnownGlobal* known = find(whole);
    if (whole == "torch._utils._rebuild_tensor_v3")
        return fail(
            "its pickle contains a tensor of a type that is not supported (fp8 or an unsigned integer of more than 8 "
            "bits); expected fp16, bf16 or fp32");
    if (!known)
        return fail("its pickle uses " + inQuotes(whole)
                        + ", which tables of tensors do not need and which could run code; it is not opened",
                    ", and safetensors files of the same weights would be");
    push({.kind = Kind::Global, .integer = known - kGlobals.data(), .text = known->name});
}

/// ('storage', class, key, device, elements)
void PickleMachine::storage()
{
    const Index popped = pop();
    const PickleValue& id = m_values[popped];
    const auto is = [&](std::size_t item, Kind kind) { return m_values[id.items[item]].kind == kind; };
    if (id.kind != Kind::Tuple || id.items.size() != 5 || !is(0, Kind::Text) || m_values[id.items[0]].text != "storage"
        || !is(1, Kind::Global) || !is(2, Kind::Text) || !is(4, Kind::Integer) || m_values[id.items[4]].integer < 0)
        return fail("its pickle names a storage in a form that is not known");
    if (!kGlobals[static_cast<std::size_t>(m_values[id.items[1]].integer)].dtype)
        return fail("its pickle takes '" + std::string(m_values[id.items[1]].text) + "' for a storage");
    PickleValue made{.kind = Kind::Storage,
                     .integer = m_values[id.items[4]].integer,
                     .text = m_values[id.items[2]].text,
                     .items = {id.items[1]}};
    push(std::move(made));
}

bool PickleMachine::isIntegers(Index tuple) const
{
    const auto& items = m_values[tuple].items;
    return m_values[tuple].kind == Kind::Tuple && items.size() <= kMostDimensions
           && std::all_of(items.begin(), items.end(), [&](Index i) { return m_values[i].kind == Kind::Integer; });
}

/// (storage, offset, sizes, strides, ...)
void PickleMachine::rebuildTensor(const std::vector<Index>& arguments)
{
    if (arguments.size() < 4 || m_values[arguments[0]].kind != Kind::Storage
        || m_values[arguments[1]].kind != Kind::Integer || m_values[arguments[1]].integer < 0
        || !isIntegers(arguments[2]) || !isIntegers(arguments[3]))
        return fail("its pickle describes a tensor in a form that is not known");
    push({.kind = Kind::Tensor, .items = {arguments.begin(), arguments.begin() + 4}});
}

void PickleMachine::reduce()
{
    const Index popped = pop(), called = pop();
    const std::vector<Index>& all = m_values[popped].items;
    const std::vector<Index> arguments(all.begin(), all.begin() + std::min<std::ptrdiff_t>(std::ssize(all), 8));
    const PickleValue callee{
        .kind = m_values[called].kind, .integer = m_values[called].integer, .text = m_values[called].text};
    if (m_error)
        return;
    const Call call =
        callee.kind == Kind::Global ? kGlobals[static_cast<std::size_t>(callee.integer)].call : Call::None;
    switch (call) {
    case Call::Tensor: return rebuildTensor(arguments);
    case Call::Parameter: // (tensor, requires_grad, hooks)
        if (arguments.empty() || m_values[arguments[0]].kind != Kind::Tensor)
            return fail("its pickle describes a parameter in a form that is not known");
        return m_stack.push_back(arguments[0]);
    case Call::Dict:
        push({.kind = Kind::Dict}); // its items follow
        return;
    case Call::Size:
        if (arguments.size() != 1 || !isIntegers(arguments[0]))
            return fail("its pickle describes a size in a form that is not known");
        return m_stack.push_back(arguments[0]);
    case Call::None: break;
    }
    fail("its pickle calls " + (callee.kind == Kind::Global ? inQuotes(callee.text) : "a value that is not a function")
         + ", which tables of tensors do not need");
}

bool PickleMachine::stepValue(unsigned char code)
{
    const auto integer = [&](std::int64_t value) { push({.kind = Kind::Integer, .integer = value}); };
    const auto text = [&](std::string_view value) { push({.kind = Kind::Text, .text = value}); };
    switch (code) {
    case 'N': push({}); return true;
    case 0x88: integer(1); return true; // NEWTRUE
    case 0x89: integer(0); return true; // NEWFALSE
    case 'J': integer(number<std::int32_t>()); return true;
    case 'K': integer(number<std::uint8_t>()); return true;
    case 'M': integer(number<std::uint16_t>()); return true;
    case 0x8a: { // LONG1: little-endian, of so many bytes
        const std::string_view bytes = take(number<std::uint8_t>());
        if (bytes.size() > 8) {
            fail("its pickle contains a number that does not fit in 64 bits");
            return true;
        }
        std::int64_t value = !bytes.empty() && (bytes.back() & 0x80) ? -1 : 0;
        if (!bytes.empty())
            std::memcpy(&value, bytes.data(), bytes.size());
        integer(value);
        return true;
    }
    case 'G': { // BINFLOAT, big-endian
        std::string bytes(take(8));
        std::ranges::reverse(bytes);
        PickleValue value{.kind = Kind::Real};
        if (bytes.size() == sizeof value.real)
            std::memcpy(&value.real, bytes.data(), bytes.size());
        push(std::move(value));
        return true;
    }
    case 'X': text(take(number<std::uint32_t>())); return true;
    case 0x8c: text(take(number<std::uint8_t>())); return true;
    case 0x8d: text(take(number<std::uint64_t>())); return true;
    case 'U': text(take(number<std::uint8_t>())); return true;
    default: return false;
    }
}

bool PickleMachine::stepMemo(unsigned char code)
{
    switch (code) {
    case 'q': memoize(number<std::uint8_t>()); return true;
    case 'r': memoize(number<std::uint32_t>()); return true;
    case 0x94: memoize(m_memo.size()); return true;
    case 'h': recall(number<std::uint8_t>()); return true;
    case 'j': recall(number<std::uint32_t>()); return true;
    default: return false;
    }
}

bool PickleMachine::stepCollection(unsigned char code)
{
    switch (code) {
    case '(': push({.kind = Kind::Mark}); return true;
    case '}': push({.kind = Kind::Dict}); return true;
    case ']': push({.kind = Kind::List}); return true;
    case ')': push({.kind = Kind::Tuple}); return true;
    case 't': {
        std::vector<Index> items = popToMark();
        push({.kind = Kind::Tuple, .items = std::move(items)});
        return true;
    }
    case 0x85: tuple(1); return true;
    case 0x86: tuple(2); return true;
    case 0x87: tuple(3); return true;
    case 'a': append({pop()}, Kind::List); return true;
    case 'e': append(popToMark(), Kind::List); return true;
    case 's': {
        const Index value = pop(), key = pop();
        append({key, value}, Kind::Dict);
        return true;
    }
    case 'u': append(popToMark(), Kind::Dict); return true;
    default: return false;
    }
}

void PickleMachine::step(unsigned char code)
{
    if (stepValue(code) || stepMemo(code) || stepCollection(code))
        return;
    switch (code) {
    case 0x80: // PROTO
        if (const int protocol = number<std::uint8_t>(); protocol < 2 || protocol > 5)
            fail("its pickle is of protocol " + std::to_string(protocol) + "; expected 2 to 5");
        return;
    case 0x95: static_cast<void>(take(8)); return; // FRAME
    case 'c': {
        const std::string_view module = line();
        return global(module, line());
    }
    case 0x93: { // STACK_GLOBAL
        const Index name = pop(), module = pop();
        if (m_values[name].kind != Kind::Text || m_values[module].kind != Kind::Text)
            return fail("its pickle names a global with a value that is not text");
        return global(m_values[module].text, m_values[name].text);
    }
    case 'Q': return storage();
    case 'R': return reduce();
    case 'b': // BUILD: attributes of a table (_metadata), which no tensor needs
        static_cast<void>(pop());
        if (const Index built = pop(); m_values[built].kind == Kind::Dict)
            return m_stack.push_back(built);
        return fail("its pickle sets attributes of an object that is not a table");
    case '0': static_cast<void>(pop()); return;
    default: break;
    }
    char shown[8];
    std::snprintf(shown, sizeof shown, "0x%02x", code);
    fail(std::string("its pickle has the instruction ") + shown + ", which tables of tensors do not need");
}

Result<PickleMachine::Index> PickleMachine::run()
{
    while (!m_error) {
        const auto code = number<std::uint8_t>();
        if (m_values.size() > kMostPickled)
            fail("its pickle has more than " + std::to_string(kMostPickled)
                 + " values; no table of tensors is so long");
        if (m_error)
            break;
        if (code == '.') {
            const Index top = pop();
            if (!m_error)
                return top;
            break;
        }
        step(code);
    }
    return *m_error;
}

std::optional<PickleMachine::Index> PickleMachine::member(Index dict, std::string_view key) const
{
    const auto& items = m_values[dict].items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (m_values[items[i]].kind == Kind::Text && m_values[items[i]].text == key)
            return items[i + 1];
    return {};
}

PickledTensor PickleMachine::tensor(const PickleValue& value) const
{
    const PickleValue& storage = m_values[value.items[0]];
    const auto integers = [&](Index tuple) {
        std::vector<std::int64_t> all;
        for (const Index item : m_values[tuple].items)
            all.push_back(m_values[item].integer);
        return all;
    };
    PickledTensor tensor;
    tensor.storage = storage.text;
    tensor.storageElements = static_cast<std::uint64_t>(storage.integer);
    tensor.dtype = *kGlobals[static_cast<std::size_t>(m_values[storage.items[0]].integer)].dtype;
    tensor.offset = static_cast<std::uint64_t>(m_values[value.items[1]].integer);
    tensor.shape = integers(value.items[2]);
    tensor.strides = integers(value.items[3]);
    return tensor;
}

} // namespace headscope::io
