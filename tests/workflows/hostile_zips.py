"""hostile_zips.py FOLDER: archives that must be refused, one a reason, and two that must not."""
import os
import stat
import struct
import sys
import zipfile

folder = sys.argv[1]


def write(name, entries, method=zipfile.ZIP_DEFLATED):
    path = os.path.join(folder, name + ".zip")
    with zipfile.ZipFile(path, "w", method) as archive:
        for entry, data, mode in entries:
            info = zipfile.ZipInfo(entry)
            info.compress_type = method
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


plain = stat.S_IFREG | 0o644
write("good", [("tiny/result.json", "{}", plain), ("tiny/captures/", "", stat.S_IFDIR | 0o755)])
write("good_no_mode", [("tiny/result.json", "{}", 0)])
write("bad_symlink", [("tiny/result.json", "/etc/passwd", stat.S_IFLNK | 0o777)])
write("bad_fifo", [("tiny/result.json", "", stat.S_IFIFO | 0o644)])
write("bad_parent", [("tiny/../../result.json", "{}", plain)])
write("bad_parent_last", [("good/result.json", "{}", plain), ("../result.json", "{}", plain)])
write("bad_absolute", [("/tmp/result.json", "{}", plain)])
write("bad_backslash", [("tiny\\..\\result.json", "{}", plain)])
write("bad_newline", [("tiny/a\nb", "{}", plain)])
write("bad_option", [("tiny/$(id)", "{}", plain)])
write("bad_twice", [("tiny/result.json", "{}", plain), ("tiny/RESULT.json", "{}", plain)])
write("bad_file_and_folder", [("tiny", "{}", plain), ("tiny/result.json", "{}", plain)])
write("bad_deep", [("a/" * 9 + "b", "{}", plain)])
write("bad_long", [("a" * 130, "{}", plain)])
write("bad_many", [(f"f{i}", "", plain) for i in range(5001)], zipfile.ZIP_STORED)
write("bad_bomb", [("tiny/result.json", b"\0" * ((64 << 20) + 1), plain)])
write("bad_bomb_of_many", [(f"f{i}", b"\0" * (60 << 20), plain) for i in range(9)])
write("bad_method", [("tiny/result.json", "{}" * 99, plain)], zipfile.ZIP_BZIP2)

# The directory says two bytes, the data is a megabyte.
path = write("bad_lies", [("tiny/result.json", b"\0" * (1 << 20), plain)])
data = bytearray(open(path, "rb").read())
at = data.rindex(b"PK\x01\x02") + 24
data[at:at + 4] = struct.pack("<I", 2)
open(path, "wb").write(data)

path = write("bad_encrypted", [("tiny/result.json", "{}", plain)])
data = bytearray(open(path, "rb").read())
for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
    data[data.rindex(mark) + offset] |= 1
open(path, "wb").write(data)

whole = open(os.path.join(folder, "good.zip"), "rb").read()
open(os.path.join(folder, "bad_cut.zip"), "wb").write(whole[:len(whole) // 2])
open(os.path.join(folder, "bad_text.zip"), "wb").write(b"no archive at all")
with open(os.path.join(folder, "bad_large.zip"), "wb") as large:
    large.truncate((128 << 20) + 1)
