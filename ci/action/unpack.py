#!/usr/bin/env python3
"""unpack.py ZIP FOLDER: an artifact of somebody else's job, unpacked whole or not at all.

Refused: anything but plain files and folders (links, devices, encrypted entries), names that are absolute, hold "..", a backslash
or other than [A-Za-z0-9._+-], two names that differ in case alone, more than MOST_FILES entries, a file or a sum beyond its cap.
The sizes that an archive claims are checked first; what really comes out is counted again. FOLDER must not be there.
Exit: 0 unpacked, 4 refused (the reason on stderr; nothing is left).
"""
import os
import re
import shutil
import stat
import sys
import zipfile

MOST_ARCHIVE_BYTES = 128 << 20
MOST_FILES = 5000
MOST_FILE_BYTES = 64 << 20
MOST_BYTES = 512 << 20
MOST_NAME = 200
MOST_DEPTH = 8
PART = re.compile(r"[A-Za-z0-9._+-]{1,120}\Z")


class Refused(Exception):
    pass


def shown(name):
    return ascii(name[:120])


def check_name(name, seen):
    parts = name.rstrip("/").split("/")
    if name.startswith("/") or len(name) > MOST_NAME or len(parts) > MOST_DEPTH:
        raise Refused(f"{shown(name)} is absolute, too long or too deep")
    if not all(PART.match(part) and part not in (".", "..") for part in parts):
        raise Refused(f"{shown(name)} is no name that is taken")
    folded = "/".join(parts).lower()
    if folded in seen:
        raise Refused(f"{shown(name)} is there twice")
    seen.add(folded)


def check_entry(entry, seen):
    check_name(entry.filename, seen)
    # The NUL trick: zipfile cuts the name there, other readers do not.
    if entry.orig_filename != entry.filename:
        raise Refused(f"{shown(entry.orig_filename)} is no name that is taken")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        raise Refused(f"{shown(entry.filename)} is a link or a device")
    if entry.flag_bits & 0x1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{shown(entry.filename)} is encrypted or packed in an unusual way")
    if entry.file_size > MOST_FILE_BYTES:
        raise Refused(f"{shown(entry.filename)} is larger than {MOST_FILE_BYTES >> 20} MiB")


def take_file(archive, entry, target, left):
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    written = 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "wb") as out, archive.open(entry) as source:
        while block := source.read(1 << 16):
            written += len(block)
            if written > min(MOST_FILE_BYTES, left):
                raise Refused(f"{shown(entry.filename)} is larger than it says")
            out.write(block)
    return written


def unpack(path, folder):
    if os.path.getsize(path) > MOST_ARCHIVE_BYTES:
        raise Refused(f"the archive is larger than {MOST_ARCHIVE_BYTES >> 20} MiB")
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_FILES:
            raise Refused(f"the archive has more than {MOST_FILES} entries")
        seen = set()
        for entry in entries:
            check_entry(entry, seen)
        if sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise Refused(f"the archive unpacks to more than {MOST_BYTES >> 20} MiB")
        left = MOST_BYTES
        for entry in entries:
            if not entry.is_dir():
                left -= take_file(archive, entry, os.path.join(folder, entry.filename), left)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, folder = sys.argv[1:]
    try:
        os.mkdir(folder)
    except OSError as error:
        print(f"perfgate: {folder}: {error.strerror}", file=sys.stderr)
        return 4
    try:
        unpack(path, folder)
        return 0
    except (Refused, zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"perfgate: the artifact is refused: {error}", file=sys.stderr)
        return 4
    except Exception as error:  # zlib.error and what else a broken archive makes of a reader
        shutil.rmtree(folder, ignore_errors=True)
        print(f"perfgate: the artifact is refused: {type(error).__name__}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
