# SPDX-License-Identifier: MIT
"""Bombs of glTF: long names, URIs, and JSON that decodes to many objects."""

import json
from pathlib import Path

import numpy as np

from bombs.bomb import WIDE, bomb, gltf, members, repeated_mesh, written
from bombs.gltf_arrays import textured
from gltf_files import File, arm, triangle


@bomb()
def a_node_name_above_thousands_of_primitives(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, "n" * (150_000 * size), "", 1000)


@bomb()
def a_material_name_of_thousands_of_primitives(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, "", "m" * (150_000 * size), 1000)


@bomb()
def a_name_in_four_bytes_a_character(folder: Path, size: int) -> Path:
    return repeated_mesh(folder, WIDE + "n" * (60_000 * size), "", 800)


@bomb(is_slow=True)
def nodes_of_one_long_name(folder: Path, size: int) -> Path:
    name = json.dumps(WIDE + "n" * 200_000, ensure_ascii=False)
    count = 60 * size
    nodes = ",".join(f'{{"name":{name}}}' for _ in range(count))
    return gltf(folder, nodes=f"[{nodes}]", skins=f'[{{"joints":{list(range(count))}}}]')


@bomb(is_slow=True)
def clips_of_one_long_name(folder: Path, size: int) -> Path:
    file = arm()
    (clip,) = file.json["animations"]
    file.json["animations"] = [{**clip, "name": WIDE + "c" * 200_000} for _ in range(60 * size)]
    return written(folder, "bomb.gltf", file.gltf())


@bomb()
def a_buffer_in_percent_codes(folder: Path, size: int) -> Path:
    uri = "data:," + "%41" * (1_000_000 * size)
    return gltf(folder, buffers=f'[{{"byteLength":4,"uri":"{uri}"}}]')


@bomb()
def base64_in_percent_codes(folder: Path, size: int) -> Path:
    uri = "data:application/octet-stream;base64," + "%41" * (1_000_000 * size)
    return gltf(folder, buffers=f'[{{"byteLength":4,"uri":"{uri}"}}]')


@bomb(is_slow=True)
def a_picture_in_percent_codes(folder: Path, size: int) -> Path:
    file = textured()
    file.json["images"] = [{"uri": "data:image/png," + "%41" * (1_000_000 * size)}]
    return written(folder, "bomb.gltf", file.gltf())


@bomb()
def millions_of_parameters_of_a_uri(folder: Path, size: int) -> Path:
    uri = "data:a" + ";a=" * (2_000_000 * size) + ",A"
    return gltf(folder, buffers=f'[{{"byteLength":1,"uri":"{uri}"}}]')


@bomb(is_slow=True)
def a_large_buffer_in_base64(folder: Path, size: int) -> Path:
    """Within the bound."""
    file = File()
    file.add(np.zeros((500_000 * size, 3)))
    return written(folder, "bomb.gltf", file.gltf())


@bomb()
def a_companion_under_many_names(folder: Path, size: int) -> Path:
    """Within the bound, which a copy for each name would not be."""
    file = triangle()
    written(folder, "a.bin", bytes(file.binary) + bytes(1_000_000 * size))
    length = len(file.binary)
    names = ["./" * n + "a.bin" for n in range(100)]
    names += [".//" * n + f"%61{'.' if n % 2 else '%2E'}bin" for n in range(100)]
    file.json["buffers"] = [{"byteLength": length, "uri": name} for name in names]
    return written(folder, "bomb.gltf", file.text())


@bomb(is_slow=True)
def names_of_extensions(folder: Path, size: int) -> Path:
    names = ",".join(f'"{number:06x}"' for number in range(900_000 * size))
    return gltf(folder, extensionsUsed=f"[{names}]")


@bomb()
def extensions_of_a_node(folder: Path, size: int) -> Path:
    return gltf(folder, nodes=f'[{{"extensions":{{{members(900_000 * size)}}}}}]')


@bomb(is_slow=True)
def extensions_of_a_primitive(folder: Path, size: int) -> Path:
    extensions = members(900_000 * size, "{}")
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{}},"extensions":{{{extensions}}}}}]}}]')


@bomb(is_slow=True)
def attributes_of_a_primitive(folder: Path, size: int) -> Path:
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{{members(900_000 * size)}}}}}]}}]')


@bomb(is_slow=True)
def morph_targets_without_members(folder: Path, size: int) -> Path:
    targets = ",".join(["{}"] * (900_000 * size))
    return gltf(folder, meshes=f'[{{"primitives":[{{"attributes":{{}},"targets":[{targets}]}}]}}]')


@bomb()
def nodes_without_members(folder: Path, size: int) -> Path:
    return gltf(folder, nodes="[" + ",".join(["{}"] * (600_000 * size)) + "]")


@bomb(is_slow=True)
def cameras_without_members(folder: Path, size: int) -> Path:
    return gltf(folder, cameras="[" + ",".join(["0"] * (1_500_000 * size)) + "]")


@bomb(is_slow=True)
def large_numbers_of_children(folder: Path, size: int) -> Path:
    children = ",".join(["999"] * (4_000_000 * size))
    return gltf(folder, nodes=f'[{{"children":[{children}]}}]')


@bomb(is_slow=True)
def brackets_without_end(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" * (20_000_000 * size))


@bomb()
def joints_of_a_skin_that_are_one(folder: Path, size: int) -> Path:
    joints = ",".join(["0"] * (300_000 * size))
    return gltf(folder, nodes='[{"name":"a"}]', skins=f'[{{"joints":[{joints}]}}]')


@bomb()
def joints_without_names(folder: Path, size: int) -> Path:
    count = 90_000 * size
    return gltf(
        folder,
        nodes="[" + ",".join(["{}"] * count) + "]",
        skins='[{"joints":[' + ",".join(map(str, range(count))) + "]}]",
    )


@bomb(is_slow=True)
def channels_of_nothing(folder: Path, size: int) -> Path:
    channels = ",".join(['{"sampler":0,"target":{"path":""}}'] * (200_000 * size))
    return gltf(
        folder,
        animations=f'[{{"channels":[{channels}],"samplers":[{{"input":0,"output":0}}]}}]',
        accessors="[]",
    )


@bomb(is_slow=True)
def markers_of_a_clip(folder: Path, size: int) -> Path:
    file = arm()
    (clip,) = file.json["animations"]
    clip["extras"] = {"lissom": {"markers": [[0, f"{n:05x}"] for n in range(400_000 * size)]}}
    return written(folder, "bomb.glb", file.glb())


@bomb(is_slow=True)
def extras_beside_a_mark(folder: Path, size: int) -> Path:
    extras = f'{{"lissom":{{"joints":"all"}},{members(900_000 * size)}}}'
    return gltf(folder, scenes=f'[{{"extras":{extras}}}]')


@bomb("strict")
def extras_of_many_objects(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" + ",".join(["{}"] * (1_000_000 * size)) + "]")


@bomb("strict", is_slow=True)
def extras_of_many_numbers(folder: Path, size: int) -> Path:
    return gltf(folder, extras="[" + ",".join(["1.5"] * (3_000_000 * size)) + "]")


@bomb("strict")
def a_long_key_above_many_places(folder: Path, size: int) -> Path:
    places = ",".join(["[0]"] * 2000)
    return gltf(folder, **{"k" * (100_000 * size): f"[{places}]"})


@bomb("strict", is_slow=True)
def a_list_instead_of_an_object(folder: Path, size: int) -> Path:
    """Its text would be in the message."""
    return gltf(folder, materials="[[" + ",".join(["1"] * (4_000_000 * size)) + "]]")


@bomb("strict")
def extensions_that_are_required(folder: Path, size: int) -> Path:
    """Ten seconds where each is looked for in a list."""
    names = json.dumps([f"EXT_{number}" for number in range(40_000 * size)])
    return gltf(folder, extensionsUsed=names, extensionsRequired=names)


@bomb()
def bones_of_a_humanoid_map(folder: Path, size: int) -> Path:
    bones = ",".join(["{}"] * (1_200_000 * size))
    return gltf(folder, extensions=f'{{"VRM":{{"humanoid":{{"humanBones":[{bones}]}}}}}}')


@bomb(is_slow=True)
def names_of_bones_of_a_humanoid_map(folder: Path, size: int) -> Path:
    bones = members(400_000 * size, "{}")
    return gltf(folder, extensions=f'{{"VRMC_vrm":{{"humanoid":{{"humanBones":{{{bones}}}}}}}}}')


@bomb()
def expressions_of_nothing(folder: Path, size: int) -> Path:
    groups = ",".join(["{}"] * (700_000 * size))
    return gltf(folder, extensions=f'{{"VRM":{{"blendShapeMaster":{{"blendShapeGroups":[{groups}]}}}}}}')


@bomb()
def expressions_that_bind_what_is_not_there(folder: Path, size: int) -> Path:
    binds = ",".join(["{}"] * (700_000 * size))
    one = f'{{"preset":{{"aa":{{"morphTargetBinds":[{binds}]}}}}}}'
    return gltf(folder, extensions=f'{{"VRMC_vrm":{{"expressions":{one}}}}}')


@bomb()
def annotations_of_first_person(folder: Path, size: int) -> Path:
    listed = ",".join(["{}"] * (700_000 * size))
    return gltf(folder, extensions=f'{{"VRMC_vrm":{{"firstPerson":{{"meshAnnotations":[{listed}]}}}}}}')


@bomb()
def a_long_curve_of_eyes(folder: Path, size: int) -> Path:
    curve = ",".join(["1"] * (3_000_000 * size))
    return gltf(
        folder, extensions=f'{{"VRM":{{"firstPerson":{{"lookAtVerticalUp":{{"curve":[{curve}]}}}}}}}}'
    )


@bomb()
def springs_that_meet_the_same_colliders(folder: Path, size: int) -> Path:
    count = 700 * size
    return springs(
        folder,
        count,
        colliders=[{"node": 0, "shape": {"sphere": {"radius": 1}}}] * count,
        colliderGroups=[{"colliders": list(range(count))}],
        springs=[{"joints": [{"node": n}, {"node": n + 1}], "colliderGroups": [0]} for n in range(count - 1)],
    )


@bomb()
def springs_with_many_joints(folder: Path, size: int) -> Path:
    joints = ",".join(["{}"] * (1_000_000 * size))
    return gltf(folder, extensions=f'{{"VRMC_springBone":{{"springs":[{{"joints":[{joints}]}}]}}}}')


@bomb()
def springs_of_all_below_each_node(folder: Path, size: int) -> Path:
    count = 1000 * size
    nodes = line_of_nodes(count)
    groups = {"boneGroups": [{"bones": list(range(count))}]}
    return gltf(folder, nodes=nodes, extensions=json.dumps({"VRM": {"secondaryAnimation": groups}}))


@bomb(is_slow=True)
def springs_on_colliders_of_each_other(folder: Path, size: int) -> Path:
    count = 3000 * size
    return springs(
        folder,
        count,
        colliders=[{"node": n, "shape": {"sphere": {"radius": 1}}} for n in range(count)],
        colliderGroups=[{"colliders": [n]} for n in range(count)],
        springs=[
            {"joints": [{"node": n}, {"node": count - 1}], "colliderGroups": [count - 1 - n]}
            for n in range(count - 1)
        ],
    )


def springs(folder: Path, count: int, **said: object) -> Path:
    """A line of nodes with springs."""
    return gltf(folder, nodes=line_of_nodes(count), extensions=json.dumps({"VRMC_springBone": said}))


def line_of_nodes(count: int) -> str:
    nodes = [{"children": [n + 1], "translation": [0, 1, 0]} for n in range(count - 1)]
    return json.dumps([*nodes, {"translation": [0, 1, 0]}])
