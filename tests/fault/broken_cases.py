"""The broken inputs of broken_inputs_test.py: what is given, and what the refusal must say of it.

A case is (name, bytes of the file or arguments, fragments). Each fragment must occur in the one line on stderr, and so must
the name of the file.
"""
import copy
import gzip
import json

GOOD = {
    "format": "ration-program",
    "version": 1,
    "rows": [
        {"name": "memory:a", "dimension": "memory", "high": 80},
        {"name": "memory:b", "dimension": "memory", "high": 80},
        {"name": "tenants:a", "dimension": "money", "cost": [[0, 0, 0], [1, 30, 0]],
         "feeds": [{"to": "memory:a", "function": [[0, 0, 0], [1, 0, 4]]}]},
        {"name": "tenants:b", "dimension": "money", "cost": [[0, 0, 0], [1, 30, 0]],
         "feeds": [{"to": "memory:b", "function": [[0, 0, 0], [1, 0, 4]]}]}],
    "places": [
        {"name": "a", "class": 0, "roles": {"0": ["memory:a"], "1": ["tenants:a"]}},
        {"name": "b", "class": 0, "roles": {"0": ["memory:b"], "1": ["tenants:b"]}}],
    "modes": [{"name": "fp16"}, {"name": "int4"}],
    "items": [
        {"name": "chat", "entries": [
            {"class": 0, "mode": "fp16", "cost": 10, "dimension": "latency", "loads": {"0": 50, "1": 1}},
            {"class": 0, "mode": "int4", "cost": 25, "dimension": "latency", "loads": {"0": 15, "1": 1}}]},
        {"name": "search", "entries": [
            {"class": 0, "mode": "fp16", "cost": 10, "dimension": "latency", "loads": {"0": 40, "1": 1}}],
         "start": {"place": "b", "move_cost": 2}}]}
GOOD_TEXT = json.dumps(GOOD, indent=1)

# Three agents, four jobs.
GAP = "3 4\n 5 7 3 9\n 6 2 8 4\n 4 4 6 5\n 3 5 2 4\n 4 2 6 3\n 3 3 4 2\n 7 8 6\n"
# Two knapsacks of three items and two constraints.
MKP = "2\n3 2 0\n 5 7 9\n 1 2 3\n 3 2 1\n 4 4\n3 2 0\n 4 6 8\n 1 2 3\n 3 2 1\n 5 5\n"
QAP = "3\n 0 1 2\n 1 0 3\n 2 3 0\n\n 0 4 5\n 4 0 6\n 5 6 0\n"
VBP = "2\n10 10\n3\n 4 5 2\n 6 3 1\n 2 2 3\n"
PLACE_MODE = {"class": 0, "mode": "fp16", "cost": 1, "loads": {"0": 1}}


def changed(change):
    """GOOD with a change: a function of the copy."""
    program = copy.deepcopy(GOOD)
    change(program)
    return json.dumps(program, indent=1).encode()


def replaced(old, new):
    assert GOOD_TEXT.count(old) >= 1, old
    return GOOD_TEXT.replace(old, new, 1).encode()


def put(path, value):
    """GOOD with program[path[0]][path[1]]... = value."""
    def change(program):
        at = program
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
    return changed(change)


def json_cases():
    """(name, bytes, fragments) of broken allocation programs."""
    half = GOOD_TEXT[:len(GOOD_TEXT) // 2].encode()
    cost = '"cost": 10'
    big = 1 << 62
    flat = [{"options": [{"cost": 1}]}]
    return [
        # bytes
        ("empty", b"", ["is empty"]),
        ("spaces", b" \n\t \n", ["line 3", "ends here, expected a value"]),
        ("cut", half, ["the text ends within"]),
        ("cut_in_text", GOOD_TEXT[:GOOD_TEXT.index("memory:a") + 3].encode(), ["the text ends within quotes"]),
        ("cut_at_brace", GOOD_TEXT[:-1].encode(), ["the text ends within the map that begins on line 1"]),
        ("trailing", GOOD_TEXT.encode() + b"\n{}", ["expected nothing after the end of the document"]),
        ("bad_utf8", replaced("chat", "ch\x01t").replace(b"\\u0001", b"\xff").replace(b"\x01", b"\xff"),
         ["0xff is not UTF-8"]),
        ("overlong_utf8", GOOD_TEXT.replace("chat", "chXt").encode().replace(b"X", b"\xc0\xaf"), ["is not UTF-8"]),
        ("utf16", GOOD_TEXT.encode("utf-16"), ["looks like UTF-16"]),
        ("utf16_unmarked", GOOD_TEXT.encode("utf-16-le"), ["NUL byte at offset 1"]),
        ("gzip", gzip.compress(GOOD_TEXT.encode()), ["gzip"]),
        ("nul", GOOD_TEXT.encode().replace(b"chat", b"ch\0t"), ["NUL byte at offset"]),
        ("nul_escape", GOOD_TEXT.replace("chat", "ch\\u0000t").encode(), ["\\u0000"]),
        ("half_surrogate", GOOD_TEXT.replace("chat", "\\ud800").encode(), ["half of a character"]),
        ("control_in_name", GOOD_TEXT.replace("chat", "ch\\u0007t").encode(), ["control character"]),
        ("raw_newline", GOOD_TEXT.replace("chat", "ch\nt").encode(), ["a line ends within quotes"]),
        ("deep_lists", b"[" * 10000 + b"]" * 10000, ["64"]),
        ("deep_maps", b'{"a":' * 10000 + b"1" + b"}" * 10000, ["64"]),
        ("deep_cut", b"[" * 10000, ["64"]),
        ("binary", bytes(range(1, 256)) * 8, ["not UTF-8"]),
        # grammar
        ("single_quotes", GOOD_TEXT.replace('"', "'").encode(), ["double quotes"]),
        ("comment", b"// program\n" + GOOD_TEXT.encode(), ["JSON has no comments"]),
        ("comma", GOOD_TEXT[:-2].encode() + b",\n}", ["a comma before '}'"]),
        ("nan", replaced(cost, '"cost": NaN'), ["NaN is not accepted"]),
        ("infinity", replaced(cost, '"cost": Infinity'), ["Infinity is not accepted"]),
        ("minus_infinity", replaced(cost, '"cost": -Infinity'), ["-Infinity is not accepted"]),
        ("1e400", replaced(cost, '"cost": 1e400'), ["1e400 is too large"]),
        ("hexadecimal", replaced(cost, '"cost": 0x10'), ["0x10 is not a number"]),
        ("leading_zero", replaced(cost, '"cost": 010'), ["010 begins with 0"]),
        ("plus", replaced(cost, '"cost": +1'), ["+1 is not a number"]),
        ("400_digits", replaced(cost, '"cost": ' + "9" * 400), ["400 characters"]),
        # numbers that are none here
        ("2^53+1", replaced(cost, '"cost": 9007199254740993'), ["9007199254740993", "expected it in quotes"]),
        ("2^53_negative", replaced(cost, '"cost": -9007199254740993'), ["-9007199254740993", "in quotes"]),
        ("fraction", replaced(cost, '"cost": 1.5'), ["items[0].entries[0].cost", "found 1.5, expected an integer"]),
        ("exponent", replaced(cost, '"cost": 1e3'), ["found 1e3, expected an integer"]),
        ("2^63", replaced(cost, '"cost": "9223372036854775808"'), ["9223372036854775808", "expected an integer"]),
        ("text_number", replaced(cost, '"cost": "ten"'), ["found text \"ten\", expected an integer"]),
        ("text_nan", replaced(cost, '"cost": "NaN"'), ["found text \"NaN\", expected an integer"]),
        ("null", replaced(cost, '"cost": null'), ["found null, expected an integer"]),
        ("bool", replaced(cost, '"cost": true'), ["found true, expected an integer"]),
        ("list", replaced(cost, '"cost": [10]'), ["found a list, expected an integer"]),
        ("negative_class", put(["places", 0, "class"], -1), ["places[0].class", "found -1"]),
        ("big_class", put(["places", 0, "class"], 1 << 40), ["places[0].class", "expected an integer from 0"]),
        ("scale_19", put(["objective"], {"scale": 19}), ["objective.scale", "found 19"]),
        ("scale_negative", put(["objective"], {"scale": -1}), ["objective.scale", "found -1"]),
        # kinds
        ("root_list", b"[1, 2]", ["found a list, expected a map"]),
        ("root_number", b"12", ["found 12, expected a map"]),
        ("rows_map", put(["rows"], {}), ["rows", "found a map, expected a list"]),
        ("items_text", put(["items"], "chat"), ["items", "expected a list"]),
        ("item_null", put(["items", 0], None), ["items[0]", "found null, expected a map"]),
        ("name_number", put(["items", 0, "name"], 7), ["items[0].name", "found 7, expected text in quotes"]),
        ("name_empty", put(["items", 0, "name"], ""), ["items[0].name", "text that is not empty"]),
        ("name_long", put(["items", 0, "name"], "n" * 5000), ["items[0]", "4096"]),
        ("stay_text", put(["modes", 0, "stay"], "yes"), ["modes[0].stay", "expected true or false"]),
        # fields and words
        ("no_format", changed(lambda p: p.pop("format")), ["the field \"format\" is missing"]),
        ("other_format", put(["format"], "ration-program2"), ["ration-program"]),
        ("version_2", put(["version"], 2), ["version", "found 2"]),
        ("no_items", changed(lambda p: p.pop("items")), ["the field \"items\" is missing"]),
        ("unknown_field", put(["itmes"], []), ["itmes", "did you mean \"items\"?"]),
        ("unknown_in_row", put(["rows", 0, "hihg"], 1), ["rows[0].hihg", "did you mean \"high\"?"]),
        ("unknown_in_entry", put(["items", 0, "entries", 0, "costs"], 1), ["did you mean \"cost\"?"]),
        ("unknown_far", put(["rows", 0, "zzzzzz"], 1), ["rows[0].zzzzzz", "unknown field, expected one of"]),
        ("sense_word", put(["objective"], {"sense": "minimize"}), ["did you mean \"minimise\"?"]),
        ("dimension_word", put(["rows", 0, "dimension"], "memoy"), ["did you mean \"memory\"?"]),
        ("twice", replaced('"version": 1', '"version": 1, "version": 1'), ["version", "twice"]),
        ("twice_escaped", replaced('"version": 1', '"version": 1, "v\\u0065rsion": 1'), ["version", "twice"]),
        ("load_twice", replaced('"0": 50', '"0": 50, "0": 50'), ["twice"]),
        # names
        ("item_twice", put(["items", 1, "name"], "chat"), ["items[1]", "chat"]),
        ("row_twice", put(["rows", 1, "name"], "memory:a"), ["rows[1]", "memory:a"]),
        ("place_twice", put(["places", 1, "name"], "a"), ["places[1]", "\"a\""]),
        ("mode_twice", put(["modes", 1, "name"], "fp16"), ["modes[1]", "fp16"]),
        ("unknown_row", put(["places", 0, "roles", "0"], ["memory:c"]), ["there is no row \"memory:c\""]),
        ("unknown_mode", put(["items", 0, "entries", 0, "mode"], "fp8"), ["there is no mode \"fp8\""]),
        ("unknown_place", put(["items", 1, "start", "place"], "c"), ["there is no place \"c\""]),
        ("unknown_feed", put(["rows", 2, "feeds", 0, "to"], "x"), ["there is no row \"x\""]),
        ("unknown_conflict", put(["conflicts"], [["chat", "x"]]), ["there is no item \"x\""]),
        # items and options
        ("zero_items", put(["items"], []), ["items", "found a list of 0 values, expected a list of"]),
        ("no_option", changed(lambda p: p["items"][0].pop("entries")), ["chat", "no option"]),
        ("all_excluded", put(["items", 0, "exclude"], ["a", "b"]), ["chat", "no option"]),
        ("class_without_place", put(["items", 1, "entries", 0, "class"], 5), ["search", "no option"]),
        ("place_mode_twice", changed(lambda p: p["items"][0]["entries"].append(PLACE_MODE)), ["chat", "fp16"]),
        ("option_and_entry", put(["items", 0, "options"], [{"place": "a", "mode": "fp16"}]), ["chat", "fp16"]),
        ("stay_without_start", changed(lambda p: (p["modes"][0].update(stay=True), p["items"][1].pop("start"))),
         ["search", "no option"]),
        # roles
        ("role_4096", put(["places", 0, "roles"], {"4096": ["memory:a"]}), ["found role \"4096\"", "\"4095\""]),
        ("role_word", put(["places", 0, "roles"], {"gpu": ["memory:a"]}), ["found role \"gpu\""]),
        ("role_zeros", put(["places", 0, "roles"], {"00": ["memory:a"]}), ["found role \"00\""]),
        ("role_row_twice", put(["places", 0, "roles", "0"], ["memory:a", "memory:a"]), ["places[0].roles", "twice"]),
        # functions and feeds
        ("feed_cycle", put(["rows", 0, "feeds"], [{"to": "tenants:a", "function": [[0, 0, 1]]}]), ["cycle"]),
        ("feed_self", put(["rows", 0, "feeds"], [{"to": "memory:a", "function": [[0, 0, 1]]}]), ["rows[0].feeds[0]"]),
        ("feed_twice", changed(lambda p: p["rows"][2]["feeds"].append(p["rows"][2]["feeds"][0])),
         ["row \"tenants:a\" feeds row \"memory:a\" twice"]),
        ("feed_chain", changed(lambda p: (
            p["rows"][0].update(feeds=[{"to": "memory:b", "function": [[0, 0, 1]]}]),
            p["rows"][1].update(feeds=[{"to": "tenants:b", "function": [[0, 0, 1]]}]),
            p["rows"][3].pop("feeds"))), ["feeds", "2"]),
        ("no_pieces", put(["rows", 2, "cost"], []), ["rows[2].cost", "list of 0 values"]),
        ("short_piece", put(["rows", 2, "cost"], [[0, 0]]), ["rows[2].cost[0]", "expected a list of 3 values"]),
        ("falling_starts", put(["rows", 2, "cost"], [[1, 0, 0], [1, 5, 0]]), ["rows[2].cost"]),
        ("low_over_high", put(["rows", 0, "low"], 81), ["rows[0]", "81", "80"]),
        # tables, traffic, groups
        ("table_short", put(["table"], {"costs": [[1]]}), ["table.costs[0]", "expected a list of 2 values"]),
        ("table_class", changed(lambda p: (p.update(table={"costs": [[1, 2]]}), p["items"][0].update({"class": 1}))),
         ["table"]),
        ("distances_short", put(["traffic"], {"distances": [[0, 1]]}), ["traffic.distances", "list of 2 values"]),
        ("traffic_without_distances", put(["traffic"], {"edges": [{"from": "chat", "to": "search", "weight": 1}]}),
         ["distance"]),
        ("traffic_placeless", put(["traffic"], {"edges": [{"from": "chat", "to": "search", "weight": 1}],
                                                "distances": [[0, 1], [1, 0]], "tiers": [{"distance": 0}]}),
         ["traffic.tiers", "list of 1 value"]),
        ("one_tier", put(["traffic"], {"tiers": [{"distance": 1}]}), ["traffic.tiers"]),
        ("group_rows", put(["groups"], [{"items": ["chat"], "rows": ["memory:a", "memory:b", "tenants:a"]}]),
         ["groups[0].rows", "list of 3 values"]),
        ("group_shared_row", put(["groups"], [{"items": ["chat"], "rows": ["memory:a"]}]), ["memory:a"]),
        ("group_twice", put(["groups"], [{"items": ["chat"]}, {"items": ["chat"]}]), ["groups[1]", "chat"]),
        ("conflict_twice", put(["conflicts"], [["chat", "chat"]]), ["conflicts[0]", "chat"]),
        # sizes: the row or item and the limit are named
        ("load_2^62", put(["items", 0, "entries", 0, "loads", "0"], str(big - 1)), ["memory:a", "2^62"]),
        ("loads_2^61", changed(lambda p: [item["entries"][0]["loads"].update({"0": str(big // 2)})
                                          for item in p["items"]]), ["memory:a", "2^62"]),
        ("offset_2^62", put(["rows", 0, "offset"], str(big)), ["memory:a", "2^62"]),
        ("cost_2^62", put(["items", 0, "entries", 0, "cost"], str(big + 1)), ["chat", "2^62"]),
        ("costs_2^61", changed(lambda p: [item["entries"][0].update(cost=str(big // 2)) for item in p["items"]]),
         ["2^62"]),
        ("constant_2^62", put(["objective"], {"constant": str(big)}), ["2^62"]),
        ("slope_2^62", put(["rows", 2, "cost"], [[0, 0, str(big)]]), ["tenants:a", "2^62"]),
        ("feed_2^62", put(["rows", 2, "feeds", 0, "function"], [[0, 0, str(big)]]), ["tenants:a", "feed", "2^62"]),
        ("weight_2^62", put(["traffic"], {"edges": [{"from": "chat", "to": "search", "weight": str(big)}],
                                          "distances": [[0, 4], [4, 0]]}), ["2^62"]),
        ("move_cost_2^62", put(["items", 1, "start", "move_cost"], str(big)), ["search", "2^62"]),
        ("least_64_bits", changed(lambda p: p.update(items=[{"options": [{"cost": "-9223372036854775808"}]}] + flat)),
         ["item 1", "2^62"]),
    ]


def yaml_cases():
    """(name, bytes, fragments) of programs in YAML; JSON text is YAML too."""
    text = GOOD_TEXT
    laughs = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
        "%s: &%s [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n" % ((c, c) + (p,) * 9) for p, c in zip("abcdefgh", "bcdefghi"))
    return [
        ("empty", b"", ["is empty"]),
        ("comment_only", b"# nothing\n", ["no value"]),
        ("cut", text[:200].encode(), ["line"]),
        ("twice", b"format: ration-program\nversion: 1\nversion: 1\n", ["version", "twice"]),
        ("nan", text.replace('"cost": 10', '"cost": .nan').encode(), [".nan"]),
        ("inf", text.replace('"cost": 10', '"cost": -.inf').encode(), ["-.inf"]),
        ("tab", b"format: ration-program\n\tversion: 1\n", ["line 2"]),
        ("laughs", laughs.encode(), ["line"]),
        ("documents", b"format: ration-program\n---\nversion: 1\n", ["line"]),
        ("deep", b"[" * 10000, ["64"]),
        ("tag", b"format: !!python/object ration-program\n", ["line 1"]),
    ]


def gap_cases():
    return [
        ("empty", b"", ["is empty"]),
        ("spaces", b"  \n\n", ["the number of agents"]),
        ("header_only", b"3 4\n", ["more numbers than the file holds"]),
        ("cut", GAP[:50].encode(), ["the file ends where"]),
        ("cut_last", GAP.rstrip().rsplit(" ", 1)[0].encode(), ["the file ends where a capacity is expected"]),
        ("trailing", GAP.encode() + b"1\n", ["line 9", "after the end of the problem"]),
        ("header_less", GAP.replace("3 4", "3 3", 1).encode(), ["after the end of the problem"]),
        ("header_more", GAP.replace("3 4", "4 4", 1).encode(), ["the file ends where"]),
        ("header_huge", GAP.replace("3 4", "9999999 9999999", 1).encode(), ["more numbers than the file holds"]),
        ("header_2^64", GAP.replace("3 4", "18446744073709551617 4", 1).encode(), ["the number of agents"]),
        ("no_agents", GAP.replace("3 4", "0 4", 1).encode(), ["the number of agents", "found 0"]),
        ("no_jobs", b"3 0\n 7 8 6\n", ["the number of jobs", "found 0"]),
        ("negative_agents", GAP.replace("3 4", "-3 4", 1).encode(), ["found -3"]),
        ("negative_need", GAP.replace(" 3 5 2 4", " -3 5 2 4", 1).encode(), ["a resource need", "found -3"]),
        ("negative_capacity", GAP.replace("7 8 6", "7 -8 6").encode(), ["a capacity", "found -8"]),
        ("fraction", GAP.replace(" 9\n", " 9.5\n").encode(), ["line 2", "9.5", "expected an integer"]),
        ("exponent", GAP.replace(" 9\n", " 1e400\n").encode(), ["1e400", "expected an integer"]),
        ("nan", GAP.replace(" 9\n", " nan\n").encode(), ["nan", "expected an integer"]),
        ("inf", GAP.replace(" 9\n", " inf\n").encode(), ["inf", "expected an integer"]),
        ("word", GAP.replace(" 9\n", " nine\n").encode(), ["nine", "expected an integer"]),
        ("hexadecimal", GAP.replace(" 9\n", " 0x9\n").encode(), ["0x9", "expected an integer"]),
        ("comma", GAP.replace(" 9\n", ",9\n").encode(), ["3,9", "expected an integer"]),
        ("400_digits", GAP.replace(" 9\n", " " + "9" * 400 + "\n").encode(), ["999999", "a cost"]),
        ("2^53+1", GAP.replace(" 9\n", " 9007199254740993\n").encode(), ["9007199254740993"]),
        ("nul", GAP.encode().replace(b"9", b"\0", 1), ["NUL byte"]),
        ("bad_utf8", GAP.encode().replace(b"9", b"\xff\xfe", 1), ["a cost", "expected an integer"]),
        ("escape", GAP.encode().replace(b"9", b"\x1b[31m9", 1), ["a cost", "expected an integer"]),
        ("utf16", GAP.encode("utf-16"), ["UTF-16"]),
        ("gzip", gzip.compress(GAP.encode()), ["gzip"]),
        ("json", GOOD_TEXT.encode(), ["the number of agents", "found \"{\""]),
    ]


def mkp_cases():
    return [
        ("empty", b"", ["is empty"]),
        ("cut", MKP[:-5].encode(), ["the file ends where"]),
        ("trailing", MKP.encode() + b"7\n", ["after the end of the problem"]),
        ("negative_weight", MKP.replace(" 1 2 3", " -1 2 3", 1).encode(), ["a weight", "found -1"]),
        ("negative_items", b"1\n-3 2 0\n", ["found -3"]),
        ("huge", b"1\n9999999 9999999 0\n1 2 3\n", ["more numbers than the file holds"]),
        ("decimals", MKP.replace(" 5 7 9", " 5.0000000001 7 9", 1).encode(), ["decimals"]),
        ("nan", MKP.replace(" 5 7 9", " nan 7 9", 1).encode(), ["a profit", "nan"]),
        ("exponent", MKP.replace(" 5 7 9", " 1e400 7 9", 1).encode(), ["a profit", "1e400"]),
        ("400_digits", MKP.replace(" 5 7 9", " " + "9" * 400 + " 7 9", 1).encode(), ["a profit", "9999"]),
        ("gzip", gzip.compress(MKP.encode()), ["gzip"]),
    ]


def qap_cases():
    return [
        ("empty", b"", ["is empty"]),
        ("zero", b"0\n", ["the size", "found 0"]),
        ("negative", QAP.replace("3", "-3", 1).encode(), ["the size", "found -3"]),
        ("huge", QAP.replace("3", "20000", 1).encode(), ["more numbers than the file holds"]),
        ("over", QAP.replace("3", "99999999999", 1).encode(), ["the size", "20000"]),
        ("cut", QAP[:-8].encode(), ["the file ends where an element of the second matrix is expected"]),
        ("one_matrix", QAP[:QAP.index("\n\n")].encode(), ["the file"]),
        ("trailing", QAP.encode() + b"5 1 2 3\n", ["after the end of the problem"]),
        ("exponent", QAP.replace(" 4 5", " 1e400 5", 1).encode(), ["second matrix", "1e400"]),
        ("fraction", QAP.replace(" 4 5", " 4.5 5", 1).encode(), ["second matrix", "4.5"]),
        ("overflow", QAP.replace(" 1 2\n", " 9007199254740992 2\n", 1).replace(" 4 5", " 9007199254740992 5", 1).encode(),
         ["2^62"]),
        ("utf16", QAP.encode("utf-16"), ["UTF-16"]),
    ]


def vbp_cases():
    return [
        ("empty", b"", ["is empty"]),
        ("zero_dimensions", VBP.replace("2", "0", 1).encode(), ["the number of dimensions", "found 0"]),
        ("many_dimensions", VBP.replace("2", "1000", 1).encode(), ["the number of dimensions", "found 1000"]),
        ("negative_count", VBP.replace("4 5 2", "4 5 -2").encode(), ["a number of items", "found -2"]),
        ("cut", VBP[:-4].encode(), ["the file ends where"]),
        ("no_items", b"1\n10\n1\n 5 0\n", ["there are no items"]),
        ("trailing", VBP.encode() + b"1\n", ["after the end of the problem"]),
        ("bins", b"1\n10\n1\n 6 1000000\n", ["20000 bins"]),
        ("count_huge", b"1\n1000000\n1\n 1000000 10000000\n", ["items"]),
        ("count_sum", b"1\n10\n3\n 5 9000000\n 5 9000000\n 5 9000000\n", ["items"]),
        ("size_huge", VBP.replace("4 5 2", "9223372036854775807 5 2").encode(), ["a size"]),
        ("nan", VBP.replace("4 5 2", "nan 5 2").encode(), ["nan"]),
        ("gzip", gzip.compress(VBP.encode()), ["gzip"]),
    ]


def option_cases():
    """(name, arguments, fragments): the file good.json is good, good.mkp and the other public ones too."""
    solve = ["solve", "good.json"]
    return [
        ("command", ["slove", "good.json"], ["'slove'", "did you mean solve?"]),
        ("no_file", ["solve"], ["needs a FILE"]),
        ("two_files", solve + ["good.json"], ["takes one FILE"]),
        ("empty_file", ["solve", ""], ["FILE", "empty"]),
        ("unknown", solve + ["--sed", "1"], ["--sed", "did you mean --seed?"]),
        ("unknown_far", solve + ["--zzz"], ["--zzz", "unknown option"]),
        ("short", solve + ["-x"], ["-x", "unknown option"]),
        ("not_here", ["bound", "good.json", "--checkpoint", "c"], ["--checkpoint", "'ration bound'"]),
        ("no_value", solve + ["--seed"], ["--seed"]),
        ("empty_value", solve + ["--seed="], ["--seed"]),
        ("flag_value", solve + ["--quiet=1"], ["--quiet takes no value"]),
        ("time_negative", solve + ["--time", "-1"], ["--time -1"]),
        ("time_nan", solve + ["--time", "nan"], ["--time nan"]),
        ("time_inf", solve + ["--time", "inf"], ["--time inf"]),
        ("time_1e400", solve + ["--time", "1e400"], ["--time 1e400"]),
        ("time_word", solve + ["--time", "10s"], ["--time 10s"]),
        ("time_hex", solve + ["--time", "0x10"], ["--time 0x10"]),
        ("threads_0", solve + ["--threads", "0"], ["--threads 0"]),
        ("threads_many", solve + ["--threads", "99999999999999999999"], ["--threads 99999999999999999999"]),
        ("threads_plus", solve + ["--threads", "+2"], ["--threads +2"]),
        ("chains_0", solve + ["--chains", "0"], ["--chains 0"]),
        ("seed_fraction", solve + ["--seed", "1.5"], ["--seed 1.5"]),
        ("seed_negative", solve + ["--seed", "-1"], ["--seed -1"]),
        ("seed_2^64", solve + ["--seed", "18446744073709551616"], ["2^64"]),
        ("epochs_negative", solve + ["--epochs", "-1"], ["--epochs -1"]),
        ("epochs_fraction", solve + ["--epochs", "1e3"], ["--epochs 1e3"]),
        ("preset", solve + ["--preset", "gpv"], ["--preset gpv", "did you mean gpu?"]),
        ("backend", solve + ["--backend", "opnemp"], ["--backend opnemp", "did you mean openmp?"]),
        ("device", solve + ["--backend", "cuda:4"], ["cuda:0 to cuda:3"]),
        ("device_word", solve + ["--backend", "cuda:"], ["cuda:0 to cuda:3"]),
        ("format", solve + ["--format", "jsn"], ["'jsn'", "did you mean json?"]),
        ("format_case", ["solve", "good.gap", "--format", "GAP"], ["'GAP'"]),
        ("sense", ["solve", "good.gap", "--format", "gap", "--sense", "down"], ["--sense down"]),
        ("sense_json", solve + ["--sense", "max"], ["good.json", "--sense"]),
        ("problem_json", solve + ["--problem", "1"], ["good.json", "--problem"]),
        ("problem_0", ["solve", "good.mkp", "--format", "mkp", "--problem", "0"], ["--problem 0"]),
        ("problem_missing", ["solve", "good.mkp", "--format", "mkp"], ["good.mkp", "holds 2 problems", "--problem 1 to 2"]),
        ("problem_beyond", ["solve", "good.mkp", "--format", "mkp", "--problem", "3"], ["good.mkp", "problem 3", "2"]),
        ("problem_gap", ["solve", "good.gap", "--format", "gap", "--problem", "2"], ["good.gap", "problem 2"]),
        ("sense_vbp", ["solve", "good.vbp", "--format", "vbp", "--sense", "max"], ["good.vbp", "minimised"]),
        ("format_wrong", ["solve", "good.gap"], ["good.gap"]),
        ("schema", ["schema", "resutl"], ["'resutl'", "did you mean result?"]),
        ("doctor_file", ["doctor", "good.json"], ["takes no file"]),
        ("start_missing", solve + ["--start", "none.json"], ["none.json", "No such file"]),
        ("resume_missing", solve + ["--resume", "none.state"], ["none.state", "No such file"]),
        ("resume_json", solve + ["--resume", "good.json", "--epochs", "1"], ["good.json"]),
        ("verify_missing", ["verify", "none.json"], ["none.json", "No such file"]),
        ("bound_missing", ["bound", "none.json"], ["none.json", "No such file"]),
        ("verify_program", ["verify", "good.json"], ["good.json", "\"program\" is missing"]),
        ("json_folder_missing", solve + ["--json", "none/out.json"], ["none", "No such file"]),
        ("json_under_file", solve + ["--json", "good.gap/out.json"], ["good.gap", "Not a directory"]),
        ("json_is_folder", solve + ["--json", "folder"], ["folder"]),
        ("verify_json_is_input", ["verify", "result.json", "--json", "result.json"], ["result.json", "is the input"]),
        ("json_slash", solve + ["--json", "folder/"], ["folder/"]),
        ("json_is_input", solve + ["--json", "good.json"], ["good.json"]),
        ("checkpoint_is_folder", solve + ["--checkpoint", "folder"], ["folder"]),
        ("checkpoint_folder_missing", solve + ["--checkpoint", "none/c"], ["none", "No such file"]),
        ("plan_no_output", ["plan", "good.json", "-o"], ["-o"]),
        ("plan_output_file", ["plan", "good.json", "-o", "good.gap"], ["good.gap", "a folder was expected"]),
        ("verify_empty_folder", ["verify", "folder"], ["folder"]),
    ]
