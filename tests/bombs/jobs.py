# SPDX-License-Identifier: MIT
"""Bombs of job files and of what runs of bakes keep."""

from pathlib import Path

from bombs.bomb import WIDE, bomb, gltf, written


@bomb("job")
def brackets_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "a = " + "[" * (100_000 * size))


@bomb("job")
def keys_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "".join(f"k{n:x}=1\n" for n in range(150_000 * size)))


@bomb("job")
def tables_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[job]]\n" * (100_000 * size))


@bomb("job")
def a_dotted_key_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "a" + ".a" * (100_000 * size) + "=1\n")


@bomb("job")
def a_dotted_key_of_a_short_job(folder: Path, size: int) -> Path:
    """A quarter of a gigabyte from 16 KB where dots are charged one by one."""
    return written(folder, "bomb.toml", "a" + ".a" * (8_000 * size) + "=1\n")


@bomb("job")
def a_long_string_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", 'a = "' + "n" * (8_000_000 * size) + '"')


@bomb("job")
def a_long_string_of_a_job_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", f'a = "{WIDE}' + "n" * (8_000_000 * size) + '"')


@bomb("job")
def escapes_of_a_job_without_an_end(folder: Path, size: int) -> Path:
    """Ten seconds where each quotation mark is tried as the beginning of a string."""
    return written(folder, "bomb.toml", 'a = "' + '\\"' * (20_000 * size))


@bomb("job")
def a_number_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[job]]\nrate=0x" + "f" * (2_000_000 * size))


@bomb("job", is_slow=True)
def an_underlined_number_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[job]]\nrate=1" + "_0" * (2_000_000 * size))


@bomb("job", is_slow=True)
def a_fraction_of_a_job(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", "[[job]]\nrate=1." + "0" * (2_000_000 * size))


def jobs_with(defaults: str, count: int) -> str:
    return f"[defaults]\n{defaults}\n" + '[[job]]\nsource="a"\n' * count


@bomb("job")
def names_of_clips_for_many_jobs(folder: Path, size: int) -> Path:
    clips = ",".join(f'"{n}"' for n in range(4_000 * size))
    return written(folder, "bomb.toml", jobs_with(f'output="o"\nclips=[{clips}]', 10_000 * size))


@bomb("job", is_slow=True)
def rates_of_clips_for_many_jobs(folder: Path, size: int) -> Path:
    rates = ",".join(f"a{n}=1" for n in range(2_000 * size))
    return written(folder, "bomb.toml", jobs_with(f'output="o"\nrate={{{rates}}}', 2_000 * size))


@bomb("job", is_slow=True)
def a_folder_for_many_jobs(folder: Path, size: int) -> Path:
    return written(folder, "bomb.toml", jobs_with(f'output="{"o/" * 4_000 * size}"', 12_000 * size))


@bomb("records", is_slow=True)
def a_list_of_bakes(folder: Path, size: int) -> Path:
    entries = ",".join(['{"name":"","key":""}'] * (700_000 * size))
    return written(folder, "bakes.json", f'{{"bakes":[{entries}]}}')


@bomb("records", is_slow=True)
def a_list_of_bakes_that_is_not_one(folder: Path, size: int) -> Path:
    return written(folder, "bakes.json", '{"bakes":[' + ",".join(["[]"] * (900_000 * size)) + "]}")


@bomb("companions", is_slow=True)
def names_of_buffers(folder: Path, size: int) -> Path:
    return gltf(folder, buffers="[" + ",".join(["{}"] * (1_200_000 * size)) + "]")
