# SPDX-License-Identifier: MIT
"""
The C++ core of lissom. Import lissom, not this module.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing

__all__: list[str] = [
    "CURVE_JOINTS",
    "DISTANCE_BIN_COUNT",
    "FADE_JOINTS",
    "FootPlan",
    "IkTree",
    "JsonTables",
    "KeySegments",
    "Lattice",
    "MorphTargets",
    "Parents",
    "PlayerClips",
    "PlayerMoves",
    "PreparedMesh",
    "RetargetPlan",
    "SPRING_STEP",
    "SealedMemory",
    "SkinBind",
    "SkinnedMesh",
    "SolidSurface",
    "SpringPlan",
    "Tracks",
    "TriangleBvh",
    "VertexFaces",
    "WeightTracks",
    "accessor_layout",
    "add_layer",
    "aim",
    "are_finite",
    "blend",
    "blend_layers",
    "bounded_biharmonic",
    "bvh_capacity",
    "bvh_frames",
    "capsule_distances",
    "ccd",
    "centers_of_rotation",
    "damped_least_squares",
    "distance_bin_end",
    "draco_extent",
    "dual_quat_add",
    "dual_quat_align",
    "dual_quat_align_closed",
    "dual_quat_combined_conjugate",
    "dual_quat_conjugate",
    "dual_quat_dlb",
    "dual_quat_dot",
    "dual_quat_dual_conjugate",
    "dual_quat_equal",
    "dual_quat_exp",
    "dual_quat_from_matrix",
    "dual_quat_from_quat_translation",
    "dual_quat_from_screw",
    "dual_quat_from_trs",
    "dual_quat_from_trs_scaled",
    "dual_quat_inverse",
    "dual_quat_log",
    "dual_quat_multiply",
    "dual_quat_normalize",
    "dual_quat_normalize_or_identity",
    "dual_quat_power",
    "dual_quat_rigid_error",
    "dual_quat_same_transform",
    "dual_quat_scale",
    "dual_quat_sclerp",
    "dual_quat_sclerp_as_given",
    "dual_quat_to_matrix",
    "dual_quat_to_quat_translation",
    "dual_quat_to_screw",
    "dual_quat_to_trs",
    "dual_quat_transform_point",
    "dual_quat_transform_vector",
    "dual_quat_translation",
    "ellipsoid_distances",
    "enclosing_ellipse",
    "fabrik",
    "heat_weights",
    "ik_jacobian",
    "is_deterministic",
    "isa",
    "joint_distances",
    "json_extent",
    "key_faults",
    "largest_weight_sum_error",
    "loft_distances",
    "measure_error",
    "meshopt_decode",
    "meshopt_fault",
    "mix_rows",
    "model_matrices",
    "nearest_axis",
    "order_influences",
    "palette_dual_quats",
    "palette_matrices",
    "palette_quat_trans",
    "palette_scales",
    "plain_add_layer",
    "plain_aim",
    "plain_blend",
    "plain_blend_layers",
    "plain_ccd",
    "plain_channel_columns",
    "plain_channel_tracks",
    "plain_damped_least_squares",
    "plain_fabrik",
    "plain_float_rows",
    "plain_index_rows",
    "plain_indices",
    "plain_model_matrices",
    "plain_normalize_rotations",
    "plain_palette_dual_quats",
    "plain_palette_matrices",
    "plain_palette_model",
    "plain_pose_dual_quats",
    "plain_pose_matrices",
    "plain_positions",
    "plain_rest",
    "plain_sample",
    "plain_sample_texels",
    "plain_skin",
    "plain_skin_frame",
    "plain_skin_poses",
    "plain_two_bone",
    "plain_views_fit",
    "plain_within",
    "polar_rotations",
    "quat_align",
    "quat_align_closed",
    "quat_angle_between",
    "quat_conjugate",
    "quat_dot",
    "quat_exp",
    "quat_from_axis_angle",
    "quat_from_euler",
    "quat_from_matrix",
    "quat_from_rotation_vector",
    "quat_from_to",
    "quat_inverse",
    "quat_log",
    "quat_look_rotation",
    "quat_mean",
    "quat_multiply",
    "quat_nlerp",
    "quat_nlerp_as_given",
    "quat_normalize",
    "quat_normalize_or_identity",
    "quat_power",
    "quat_rotate",
    "quat_same_rotation",
    "quat_slerp",
    "quat_slerp_as_given",
    "quat_slerp_near",
    "quat_swing_twist",
    "quat_to_axis_angle",
    "quat_to_euler",
    "quat_to_matrix",
    "quat_to_rotation_vector",
    "reduce_weights",
    "rest_matrices",
    "rigid_texels_f16",
    "rigid_texels_f32",
    "rotation_jumps",
    "runnable_isas",
    "sample_texels_f16",
    "sample_texels_f32",
    "sample_texels_u8",
    "sealed",
    "set_deterministic",
    "set_thread_count",
    "skin",
    "smooth_union",
    "thread_count",
    "tracks_span",
    "transform_vectors",
    "trs_compose",
    "trs_compose_matrix",
    "trs_compose_shear",
    "trs_from_matrix",
    "trs_from_matrix_with_shear",
    "trs_from_parts",
    "trs_inverse",
    "trs_inverse_matrix",
    "trs_inverse_shear",
    "trs_lerp",
    "trs_lerp_as_given",
    "trs_to_matrix",
    "trs_transform_point",
    "trs_transform_vector",
    "two_bone",
    "unskin",
    "use_ik_result",
    "used_columns",
    "write_texels_f16",
    "write_texels_f32",
]

class SkinnedMesh:
    """
    The part of a mesh that skinning reads, checked once.
    """
    def __init__(self, positions: typing.Any, indices: typing.Any, weights: typing.Any) -> None: ...
    def heaviest_rows(self, out: typing.Any) -> None:
        """
        Palette row with the largest weight of each vertex; ties: the lowest.
        """
    def keep_normals(self, normals: typing.Any) -> None:
        """
        For plain functions.
        """
    @property
    def is_morphed(self) -> bool:
        """
        For plain functions, which leave such meshes alone.
        """
    @is_morphed.setter
    def is_morphed(self, arg0: bool) -> None: ...
    @property
    def row_count(self) -> int: ...

class MorphTargets:
    """
    Sparse rows of morph targets, checked once.
    """
    def __init__(
        self,
        offsets: typing.Any,
        vertices: typing.Any,
        positions: typing.Any,
        normals: typing.Any,
        tangents: typing.Any,
    ) -> None: ...

class PreparedMesh:
    """
    A SkinnedMesh in blocks that share palette rows.
    """
    def __init__(
        self,
        mesh: SkinnedMesh,
        cuts: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32],
        original_order: bool,
    ) -> None: ...
    def order(self) -> numpy.typing.NDArray[numpy.uint32]: ...
    @property
    def block_count(self) -> int: ...
    @property
    def block_row_count(self) -> int: ...

class VertexFaces:
    """
    Which triangles meet at each vertex of a mesh.
    """
    def __init__(
        self, triangles: typing.Any, vertex_count: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    def normals(self, function: str, positions: typing.Any, out: typing.Any) -> None: ...

class Tracks:
    """
    The tracks of a clip, checked whole and prepared for sampling.
    """
    def __init__(
        self,
        keys: typing.Any,
        tracks: typing.Any,
        rest: typing.Any,
        uniform: bool,
        morph_count: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    def sample(
        self, times: typing.Any, out: typing.Any, loop: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Write the local pose at each time into out.
        """

class WeightTracks:
    """
    The weights of morph targets of a clip, checked whole and prepared for sampling.
    """
    def __init__(
        self,
        keys: typing.Any,
        tracks: typing.Any,
        defaults: typing.Any,
        joint_count: typing.SupportsInt | typing.SupportsIndex,
        uniform: bool,
    ) -> None: ...
    def sample(
        self, times: typing.Any, out: typing.Any, loop: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Write the weights at each time into out.
        """

class Parents:
    """
    The parents of a skeleton's joints, checked once.
    """
    def __init__(self, parents: typing.Any) -> None: ...

class SkinBind:
    """
    The part of a skin that does not depend on poses.
    """
    def __init__(self, joints: typing.Any, joint_from_bind: typing.Any) -> None: ...
    def pivots(self, out: typing.Any) -> None:
        """
        Positions of the joints in bind space.
        """
    @property
    def joint_limit(self) -> int: ...

class JsonTables:
    """
    Arrays of objects in a JSON document, read as columns.
    """
    def __init__(
        self,
        tables: collections.abc.Sequence[
            tuple[
                str,
                str,
                collections.abc.Sequence[
                    tuple[
                        str,
                        str,
                        typing.SupportsInt | typing.SupportsIndex,
                        typing.SupportsInt | typing.SupportsIndex,
                        collections.abc.Sequence[tuple[str, typing.SupportsInt | typing.SupportsIndex]],
                        typing.SupportsInt | typing.SupportsIndex,
                        bool,
                    ]
                ],
            ]
        ],
    ) -> None: ...
    def read(self, text: typing.Any) -> typing.Any:
        """
        Return the document without its tables, and of each its columns and its rows for each owner; None where a table is not plain.
        """

class SealedMemory:
    """
    The memory of an array that can only be read from now on.
    """

class IkTree:
    """
    One or several chains of a skeleton, prepared for solving.
    """
    def __init__(
        self,
        parents: typing.Any,
        rest: typing.Any,
        names: collections.abc.Sequence[str],
        chains: collections.abc.Sequence[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]],
        fixed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        limits: collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex,
                typing.SupportsInt | typing.SupportsIndex,
                typing.Annotated[
                    collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(4)"
                ],
                typing.Annotated[
                    collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(2)"
                ],
                typing.SupportsFloat | typing.SupportsIndex,
                typing.SupportsFloat | typing.SupportsIndex,
            ]
        ],
        bend_axes: collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex,
                typing.Annotated[
                    collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
                ],
            ]
        ],
    ) -> None: ...

class RetargetPlan:
    """
    How poses of one skeleton become poses of another.
    """
    def __init__(
        self,
        source_parents: typing.Any,
        parents: typing.Any,
        rest: typing.Any,
        order: typing.Any,
        body: typing.Any,
        turns: typing.Any,
        twists: typing.Any,
        places: typing.Any,
        limbs: typing.Any,
    ) -> None: ...
    def carry(
        self,
        poses: typing.Any,
        offsets: typing.Any,
        out: typing.Any,
        goals: typing.Any,
        orientations: typing.Any,
        beyond: typing.Any,
        headings: typing.Any,
    ) -> None:
        """
        Write poses of the target into out, and the goals of its limbs.
        """

class SpringPlan:
    """
    The joints of a skeleton that spring, and what they meet.
    """
    def __init__(
        self,
        parents: typing.Any,
        order: typing.Any,
        springs: typing.Any,
        colliders: typing.Any,
        hits: typing.Any,
    ) -> None: ...
    def step(
        self,
        function: str,
        poses: typing.Any,
        moves: typing.Any,
        turns: typing.Any,
        start: typing.Any,
        tails: typing.Any,
        rotations: typing.Any,
    ) -> None:
        """
        Step through frames; write the tails after the last, and rotations of every frame.
        """
    @property
    def spring_count(self) -> int: ...

class PlayerMoves:
    """
    How far vertices move while poses are held, by the numbers of clips.
    """
    def __init__(self) -> None: ...
    def add(
        self,
        number: typing.SupportsInt | typing.SupportsIndex,
        clips: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        moves: typing.Any,
        start: typing.SupportsFloat | typing.SupportsIndex,
        cell: typing.SupportsFloat | typing.SupportsIndex,
        wraps: bool,
        change: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        Append what is known of a clip, or of some clips of a space.
        """

class PlayerClips:
    """
    The clips that players play, by number.
    """
    def __init__(self, morph_count: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def add(
        self,
        tracks: typing.Any,
        weights: typing.Any,
        rest_weights: typing.Any,
        loop: typing.SupportsInt | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        duration: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        Append a clip.
        """
    def add_space(
        self,
        clips: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        is_double: bool,
        is_additive: bool,
        morph_defaults: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
        rest_weights: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
        loop: typing.SupportsInt | typing.SupportsIndex,
        values: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
        order: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        points: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
        triangles: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        from_point: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
        boundary: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> None:
        """
        Append a blend space of clips.
        """
    def check(
        self,
        function: str,
        arrays: typing.Any,
        rows: typing.Any,
        dt: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    ) -> None:
        """
        Refuse a state that cannot be stepped by some time, of chosen rows.
        """
    def fade(
        self,
        function: str,
        arrays: typing.Any,
        transition: typing.Any,
        rows: typing.Any,
        clip: typing.SupportsInt | typing.SupportsIndex,
        ease: typing.SupportsInt | typing.SupportsIndex,
        method: typing.SupportsInt | typing.SupportsIndex,
        sync: bool,
        durations: typing.Any,
        at: typing.Any,
        speeds: typing.Any,
        parameters: typing.Any,
    ) -> None:
        """
        Start fades of players to a clip or space.
        """
    def freeze(
        self, arrays: typing.Any, rows: typing.Any, joint_count: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Make one still layer of the lowest two of players.
        """
    def held_moves(
        self,
        moves: PlayerMoves,
        state: typing.Any,
        posed: typing.Any,
        dt: typing.SupportsFloat | typing.SupportsIndex,
        out: typing.Any,
    ) -> None:
        """
        Write how far vertices move from the poses that were written to those of a further step.
        """
    def set_loop(
        self,
        index: typing.SupportsInt | typing.SupportsIndex,
        loop: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """
        Set the loop mode of a clip.
        """
    def shares(
        self,
        number: typing.SupportsInt | typing.SupportsIndex,
        parameters: typing.Any,
        parts: typing.Any,
        weights: typing.Any,
        seconds: typing.Any,
    ) -> None:
        """
        Write which clips have a share in a space, and seconds of a cycle.
        """
    def show(
        self,
        function: str,
        arrays: typing.Any,
        rows: typing.Any,
        before: bool,
        layer_limit: typing.SupportsInt | typing.SupportsIndex,
        out: typing.Any,
        out_weights: typing.Any,
    ) -> None:
        """
        Write what players show, or showed before their last step.
        """
    def step(
        self,
        arrays: typing.Any,
        dt: typing.SupportsFloat | typing.SupportsIndex,
        given: typing.Any,
        rest: typing.Any,
        rest_weights: typing.Any,
        tops: typing.Any,
        due: typing.Any,
        posed: typing.Any,
        out: typing.Any,
        out_weights: typing.Any,
    ) -> None:
        """
        Step players and what plays on top; write the poses and weights of those due, and what they show.
        """

class FootPlan:
    """
    The legs of a skeleton whose feet are placed, and how.
    """
    def __init__(
        self,
        joint_count: typing.SupportsInt | typing.SupportsIndex,
        joints: typing.Any,
        bodies: typing.Any,
        frames: typing.Any,
        legs: typing.Any,
        first_influences: typing.Any,
        influences: typing.Any,
        shares: typing.Any,
        rings: typing.Any,
        options: typing.Any,
    ) -> None: ...
    def place(
        self,
        function: str,
        legs: IkTree,
        ground: tuple[typing.Any, ...],
        body_ground: tuple[typing.Any, ...],
        inputs: tuple[typing.Any, ...],
        outputs: tuple[typing.Any, ...],
    ) -> bool:
        """
        Place feet on height fields. False where a pose or a number is one that the steps in Python refuse.
        """

class TriangleBvh:
    """
    Triangles in a tree of boxes, for casting rays and for what is the nearest.
    """
    def __init__(self, positions: typing.Any, triangles: typing.Any) -> None: ...
    def cast(
        self,
        function: str,
        origins: typing.Any,
        directions: typing.Any,
        max_distance: typing.SupportsFloat | typing.SupportsIndex,
        front_only: bool,
        distances: typing.Any,
        normals: typing.Any = None,
        triangles: typing.Any = None,
        weights: typing.Any = None,
    ) -> None: ...
    def find_closest(
        self,
        function: str,
        points: typing.Any,
        normals: typing.Any,
        least_cosine: typing.SupportsFloat | typing.SupportsIndex,
        distances: typing.Any,
        triangles: typing.Any,
        weights: typing.Any,
    ) -> None: ...
    @property
    def degenerate_count(self) -> int: ...
    @property
    def triangle_count(self) -> int: ...

class KeySegments:
    """
    The errors of segments of LINEAR tracks, and the fewest within a bound.
    """
    def __init__(
        self,
        counts: typing.Any,
        rotates: typing.Any,
        times: typing.Any,
        values: typing.Any,
        levers: typing.Any,
        limit: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None: ...
    def keep(self, bounds: typing.Any, kept: typing.Any) -> None:
        """
        Write which keys stay within the bound of each track into kept.
        """

class SolidSurface:
    """
    A triangle surface read as the boundary of a solid.
    """
    def __init__(self, function: str, positions: typing.Any, triangles: typing.Any) -> None: ...
    def count_cells(
        self, cell_size: typing.SupportsFloat | typing.SupportsIndex, progress: typing.Any = None
    ) -> tuple[int, int]: ...
    def grid(self, cell_size: typing.SupportsFloat | typing.SupportsIndex) -> tuple[int, int, int]: ...
    def winding_numbers(self, points: typing.Any) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def degenerate_count(self) -> int: ...
    @property
    def doubled_count(self) -> int: ...
    @property
    def scale(self) -> float: ...

class Lattice:
    """
    Cubes over a solid and its surface, with a copy for each part of it.
    """
    def __init__(
        self,
        surface: SolidSurface,
        cell_size: typing.SupportsFloat | typing.SupportsIndex,
        progress: typing.Any = None,
    ) -> None: ...
    def copies_of_triangles(
        self, first: typing.SupportsInt | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.int32]: ...
    def locate(
        self, points: typing.Any, copies: typing.Any = None
    ) -> tuple[
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.float64],
        numpy.typing.NDArray[numpy.bool],
        numpy.typing.NDArray[numpy.float64],
    ]: ...
    @property
    def components(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def copy_cells(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def copy_nodes(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def nodes(self) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def vertex_copies(self) -> numpy.typing.NDArray[numpy.int32]: ...

def accessor_layout(*args: typing.Any) -> typing.Any:
    """
    Columns of accessors, and the first fault.
    """

def add_layer(
    base: typing.Any, additive: typing.Any, weight: typing.Any, mask: typing.Any, out: typing.Any
) -> None:
    """
    Write the base with weighted differences on top into out.
    """

def aim(
    tree: IkTree,
    arguments: tuple[typing.Any, ...],
    pole: typing.Any,
    stops: typing.Any,
    axis: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
    ],
    offset: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
    ],
    up: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
    ],
    shares: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    behind: typing.SupportsFloat | typing.SupportsIndex,
) -> None:
    """
    Rotates the joints of a chain so that its effector looks at a target.
    """

def are_finite(rows: typing.Any) -> bool:
    """
    Whether all numbers of an array are finite.
    """

def blend(a: typing.Any, b: typing.Any, weight: typing.Any, mask: typing.Any, out: typing.Any) -> None:
    """
    Write the poses between a and b into out.
    """

def blend_layers(
    poses: list[typing.Any],
    weights: list[typing.Any],
    masks: list[typing.Any],
    rest: typing.Any,
    threshold: typing.SupportsFloat | typing.SupportsIndex,
    out: typing.Any,
) -> None:
    """
    Write the weighted means of the layers' poses into out.
    """

def bounded_biharmonic(
    nodes: typing.Any,
    tets: typing.Any,
    fixed_nodes: typing.Any,
    fixed_rows: typing.Any,
    *,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    iteration_limit: typing.SupportsInt | typing.SupportsIndex,
    polish: bool,
    memory_limit: typing.SupportsFloat | typing.SupportsIndex,
    progress: typing.Any,
    weights: typing.Any,
    unreached: typing.Any,
) -> dict[str, typing.Any]: ...
def bvh_capacity(
    text_size: typing.SupportsInt | typing.SupportsIndex,
    channel_count: typing.SupportsInt | typing.SupportsIndex,
) -> int:
    """
    Numbers that the out of bvh_frames must hold.
    """

def bvh_frames(
    text: typing.Any,
    first_line: typing.SupportsInt | typing.SupportsIndex,
    channel_count: typing.SupportsInt | typing.SupportsIndex,
    out: typing.Any,
) -> tuple[int, int, int, int, str]:
    """
    Read the numbers of frames; return frame_count, left_over_count, last_line, fault_line, fault.
    """

def capsule_distances(
    points: typing.Any,
    head: typing.Any,
    tail: typing.Any,
    head_radius: typing.SupportsFloat | typing.SupportsIndex,
    tail_radius: typing.SupportsFloat | typing.SupportsIndex,
    out: typing.Any,
) -> None:
    """
    Distances to a round bar.
    """

def ccd(tree: IkTree, arguments: tuple[typing.Any, ...]) -> None:
    """
    Cyclic coordinate descent.
    """

def centers_of_rotation(
    positions: typing.Any,
    indices: typing.Any,
    weights: typing.Any,
    triangles: typing.Any,
    sigma: typing.SupportsFloat | typing.SupportsIndex,
    centers: typing.Any,
) -> None: ...
def damped_least_squares(
    tree: IkTree,
    arguments: tuple[typing.Any, ...],
    stiffness: typing.Any,
    rest_attraction: typing.SupportsFloat | typing.SupportsIndex,
    damping: typing.SupportsFloat | typing.SupportsIndex,
    selective: bool,
    angle_tolerance: typing.SupportsFloat | typing.SupportsIndex,
) -> None:
    """
    Damped least squares.
    """

def distance_bin_end(bin: typing.SupportsInt | typing.SupportsIndex) -> float:
    """
    Upper end of a bin of measure_error, as a distance.
    """

def draco_extent(
    stream: typing.Any, most_bytes: typing.SupportsInt | typing.SupportsIndex
) -> tuple[
    bool, int, int, int, int, int, list[tuple[int, int]], list[tuple[int, int, int, int, int]], int, int
]:
    """
    Count what a Draco stream decodes to: whether all of it was read, faces, points, vertices, most vertices, borders, (seams, values) of each surface with seams, (number, kind, data type, components, values) of each attribute, bytes of metadata, bytes behind the last.
    """

def dual_quat_add(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8)->(8)
    """

def dual_quat_align(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,8)->(n,8)
    """

def dual_quat_align_closed(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,8)->(n,8)
    """

def dual_quat_combined_conjugate(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_conjugate(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_dlb(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,8),(n)->(8)
    """

def dual_quat_dot(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8)->()
    """

def dual_quat_dual_conjugate(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_equal(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8),()->()
    """

def dual_quat_exp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_from_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4,4)->(8)
    """

def dual_quat_from_quat_translation(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(3)->(8)
    """

def dual_quat_from_screw(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),(3),(),()->(8)
    """

def dual_quat_from_trs(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10)->(8)
    """

def dual_quat_from_trs_scaled(
    *args: typing.Any,
) -> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[typing.Any]]:
    """
    (10)->(8),(3)
    """

def dual_quat_inverse(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_log(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_multiply(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8)->(8)
    """

def dual_quat_normalize(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_normalize_or_identity(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(8)
    """

def dual_quat_power(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),()->(8)
    """

def dual_quat_rigid_error(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4,4)->()
    """

def dual_quat_same_transform(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8),()->()
    """

def dual_quat_scale(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),()->(8)
    """

def dual_quat_sclerp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8),()->(8)
    """

def dual_quat_sclerp_as_given(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(8),()->(8)
    """

def dual_quat_to_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(4,4)
    """

def dual_quat_to_quat_translation(
    *args: typing.Any,
) -> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[typing.Any]]:
    """
    (8)->(4),(3)
    """

def dual_quat_to_screw(
    *args: typing.Any,
) -> tuple[
    numpy.typing.NDArray[typing.Any],
    numpy.typing.NDArray[typing.Any],
    numpy.typing.NDArray[typing.Any],
    numpy.typing.NDArray[typing.Any],
]:
    """
    (8)->(3),(3),(),()
    """

def dual_quat_to_trs(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(10)
    """

def dual_quat_transform_point(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(3)->(3)
    """

def dual_quat_transform_vector(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8),(3)->(3)
    """

def dual_quat_translation(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (8)->(3)
    """

def ellipsoid_distances(points: typing.Any, center: typing.Any, radii: typing.Any, out: typing.Any) -> None:
    """
    Distances of first order to an ellipsoid.
    """

def enclosing_ellipse(points: typing.Any) -> tuple[float, float, float]:
    """
    Return xx, xy, yy of M, of the smallest ellipse p^T M^-1 p = 2 about 0 around points.
    """

def fabrik(tree: IkTree, arguments: tuple[typing.Any, ...]) -> None:
    """
    Forward and backward reaching.
    """

def heat_weights(
    positions: typing.Any,
    triangles: typing.Any,
    handles: typing.Any,
    weights: typing.Any,
    sights: typing.Any,
    *,
    conductance: typing.SupportsFloat | typing.SupportsIndex,
    weld: typing.SupportsFloat | typing.SupportsIndex,
    sight: bool,
    progress: typing.Any = None,
) -> dict[str, typing.Any]: ...
def ik_jacobian(
    tree: IkTree, pose: typing.Any, targets: typing.Any, orientations: typing.Any, stiffness: typing.Any
) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    For tests: the Jacobian matrix (R, node, 3) that damped_least_squares works with, and J w J^T (R, R).
    """

def is_deterministic() -> bool:
    """
    Whether kernels give the same bits on every machine.
    """

def isa() -> str:
    """
    The instruction set in use.
    """

def joint_distances(
    parents: typing.Any, offsets: typing.Any, before: typing.Any, after: typing.Any, out: typing.Any
) -> None:
    """
    Write the largest distance of four points of each joint between two poses into out.
    """

def json_extent(text: typing.Any) -> tuple[int, int, int, int, int, int, int, int]:
    """
    Count what a JSON text decodes to: depth, containers, commas, keys, crowded, strings, characters, longest.
    """

def key_faults(
    rule: str,
    floats: typing.Any,
    limit: typing.SupportsFloat | typing.SupportsIndex,
    step: typing.SupportsInt | typing.SupportsIndex,
    begin: typing.Any,
    end: typing.Any,
) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """
    Return of each range [begin, end) where the first key that breaks a rule is, and how many there are.
    """

def largest_weight_sum_error(weights: typing.Any) -> float:
    """
    How far the sum of a row of weights is from 1 at most; infinite where a weight is negative or a NaN.
    """

def loft_distances(
    points: typing.Any,
    origin: typing.Any,
    axes: typing.Any,
    parameter: typing.Any,
    values: typing.Any,
    slopes: typing.Any,
    out: typing.Any,
) -> None:
    """
    Distances to an ellipse swept along an axis.
    """

def measure_error(
    expected: typing.Any,
    actual: typing.Any,
    groups: typing.Any,
    copies: typing.Any,
    maxima: typing.Any,
    vertex_sums: typing.Any,
    vertex_squares: typing.Any,
    histogram: typing.Any,
    bounds: typing.Any,
) -> None: ...
def meshopt_decode(
    stream: typing.Any,
    mode: str,
    filter: str,
    count: typing.SupportsInt | typing.SupportsIndex,
    stride: typing.SupportsInt | typing.SupportsIndex,
    out: typing.Any,
) -> str:
    """
    Decode a stream into `out`; say what is wrong with it, and empty where nothing is.
    """

def meshopt_fault(
    stream: typing.Any,
    mode: str,
    filter: str,
    count: typing.SupportsInt | typing.SupportsIndex,
    stride: typing.SupportsInt | typing.SupportsIndex,
) -> str:
    """
    Say what is wrong with a stream, as far as its header and its length tell; empty where nothing is.
    """

def mix_rows(
    first: typing.Any,
    second: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    weights: typing.Any,
    rows: typing.Any,
) -> None: ...
def model_matrices(parents: typing.Any, poses: typing.Any, out: typing.Any) -> None:
    """
    Write model_from_joint of every joint and pose into out.
    """

def nearest_axis(points: typing.Any) -> tuple[float, float, float]:
    """
    Return the unit axis through 0 whose largest distance from points is least.
    """

def order_influences(
    joints: typing.Any,
    weights: typing.Any,
    joint_count: typing.SupportsInt | typing.SupportsIndex,
    sum_tolerance: typing.SupportsFloat | typing.SupportsIndex,
) -> typing.Any:
    """
    Return joints and weights, the largest of each vertex first; None where something is to be repaired.
    """

def palette_dual_quats(skin: SkinBind, model: typing.Any, out: typing.Any) -> bool:
    """
    The rigid part of model_from_bind; True where there is no other.
    """

def palette_matrices(skin: SkinBind, model: typing.Any, out: typing.Any) -> None:
    """
    model_from_bind as matrices.
    """

def palette_quat_trans(dual_quats: typing.Any, out: typing.Any) -> None:
    """
    The rigid part as quaternion and translation.
    """

def palette_scales(skin: SkinBind, model: typing.Any, dual_quats: typing.Any, out: typing.Any) -> None:
    """
    The scale that is applied before the rigid part.
    """

def plain_add_layer(*args: typing.Any) -> typing.Any:
    """
    (base, additive, weight, mask, out)
    """

def plain_aim(*args: typing.Any) -> typing.Any: ...
def plain_blend(*args: typing.Any) -> typing.Any:
    """
    (a, b, weight, mask, out)
    """

def plain_blend_layers(*args: typing.Any) -> typing.Any:
    """
    (poses, weights, masks, rest, threshold, out)
    """

def plain_ccd(*args: typing.Any) -> typing.Any: ...
def plain_channel_columns(*args: typing.Any) -> typing.Any:
    """
    (columns of channels, of samplers, nodes)
    """

def plain_channel_tracks(*args: typing.Any) -> typing.Any:
    """
    (columns of channels, joint_of_node, columns of accessors, buffer, floats, limits, tracks, ends)
    """

def plain_damped_least_squares(*args: typing.Any) -> typing.Any: ...
def plain_fabrik(*args: typing.Any) -> typing.Any: ...
def plain_float_rows(*args: typing.Any) -> typing.Any:
    """
    (array, rows, columns)
    """

def plain_index_rows(*args: typing.Any) -> typing.Any:
    """
    (array, rows, columns, limit)
    """

def plain_indices(*args: typing.Any) -> typing.Any:
    """
    (whole numbers, how many)
    """

def plain_model_matrices(*args: typing.Any) -> typing.Any:
    """
    (parents, poses, out)
    """

def plain_normalize_rotations(*args: typing.Any) -> typing.Any:
    """
    (transforms, largest, most, rounding)
    """

def plain_palette_dual_quats(*args: typing.Any) -> typing.Any:
    """
    (skin, model)
    """

def plain_palette_matrices(*args: typing.Any) -> typing.Any:
    """
    (skin, model)
    """

def plain_palette_model(*args: typing.Any) -> typing.Any:
    """
    (skin, model)
    """

def plain_pose_dual_quats(*args: typing.Any) -> typing.Any:
    """
    (parents, skin, poses)
    """

def plain_pose_matrices(*args: typing.Any) -> typing.Any:
    """
    (parents, skin, poses)
    """

def plain_positions(*args: typing.Any) -> typing.Any:
    """
    (parents, poses)
    """

def plain_rest(*args: typing.Any) -> typing.Any:
    """
    (transforms, how many, most, rounding)
    """

def plain_sample(*args: typing.Any) -> typing.Any:
    """
    (tracks, times, loop, out)
    """

def plain_sample_texels(*args: typing.Any) -> typing.Any:
    """
    (texels, ranges, quat, flipped, signed_rows, clip, frame, next, fraction)
    """

def plain_skin(*args: typing.Any) -> typing.Any:
    """
    (mesh, prepared, method, normals, rows, scales, out)
    """

def plain_skin_frame(*args: typing.Any) -> typing.Any:
    """
    (stored, joints, model_from_joint, depths, largest, singular, same_factor)
    """

def plain_skin_poses(*args: typing.Any) -> typing.Any:
    """
    (mesh, prepared, method, normals, parents, skin, poses, out)
    """

def plain_two_bone(*args: typing.Any) -> typing.Any: ...
def plain_views_fit(*args: typing.Any) -> typing.Any:
    """
    (buffer, byteOffset, byteLength of views; byteLength of buffers)
    """

def plain_within(*args: typing.Any) -> typing.Any:
    """
    (numbers, most)
    """

def polar_rotations(matrices: typing.Any, out: typing.Any) -> None:
    """
    R of finite matrices M = R S, a mirror in S.
    """

def quat_align(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,4)->(n,4)
    """

def quat_align_closed(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,4)->(n,4)
    """

def quat_angle_between(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4)->()
    """

def quat_conjugate(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_dot(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4)->()
    """

def quat_exp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_from_axis_angle(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),()->(4)
    """

def quat_from_euler(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),(),(),(),(),()->(4)
    """

def quat_from_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3,3)->(4)
    """

def quat_from_rotation_vector(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3)->(4)
    """

def quat_from_to(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),(3)->(4)
    """

def quat_inverse(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_log(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_look_rotation(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),(3)->(4)
    """

def quat_mean(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (n,4),(n)->(4)
    """

def quat_multiply(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4)->(4)
    """

def quat_nlerp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->(4)
    """

def quat_nlerp_as_given(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->(4)
    """

def quat_normalize(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_normalize_or_identity(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(4)
    """

def quat_power(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),()->(4)
    """

def quat_rotate(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(3)->(3)
    """

def quat_same_rotation(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->()
    """

def quat_slerp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->(4)
    """

def quat_slerp_as_given(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->(4)
    """

def quat_slerp_near(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(4),()->(4)
    """

def quat_swing_twist(
    *args: typing.Any,
) -> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[typing.Any]]:
    """
    (4),(3)->(4),(4)
    """

def quat_to_axis_angle(
    *args: typing.Any,
) -> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[typing.Any]]:
    """
    (4)->(3),()
    """

def quat_to_euler(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4),(),(),(),(),()->(3)
    """

def quat_to_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(3,3)
    """

def quat_to_rotation_vector(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4)->(3)
    """

def reduce_weights(
    weights: typing.Any,
    positions: typing.Any,
    triangles: typing.Any,
    reduced: typing.Any,
    *,
    influence_count: typing.SupportsInt | typing.SupportsIndex,
    smoothness: typing.SupportsFloat | typing.SupportsIndex,
    weld: typing.SupportsFloat | typing.SupportsIndex,
    progress: typing.Any = None,
) -> int: ...
def rest_matrices(*args: typing.Any) -> typing.Any:
    """
    (transforms, parents)
    """

def rigid_texels_f16(
    tracks: Tracks,
    parents: Parents,
    skin: SkinBind,
    times: typing.Any,
    least_cosine: typing.SupportsFloat | typing.SupportsIndex,
    out: typing.Any,
) -> bool:
    """
    Write the texels of a rigid clip in one pass; False where it is not surely one.
    """

def rigid_texels_f32(
    tracks: Tracks,
    parents: Parents,
    skin: SkinBind,
    times: typing.Any,
    least_cosine: typing.SupportsFloat | typing.SupportsIndex,
    out: typing.Any,
) -> bool:
    """
    Write the texels of a rigid clip in one pass; False where it is not surely one.
    """

def rotation_jumps(
    rows: typing.Any, limit: typing.SupportsFloat | typing.SupportsIndex, jumps: typing.Any
) -> None: ...
def runnable_isas() -> list[str]:
    """
    Those that this build has and this machine runs, the narrowest first.
    """

def sample_texels_f16(
    texels: typing.Any,
    ranges: typing.Any,
    clips: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    frames: typing.Any,
    nexts: typing.Any,
    fractions: typing.Any,
    rows: typing.Any,
) -> None: ...
def sample_texels_f32(
    texels: typing.Any,
    ranges: typing.Any,
    clips: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    frames: typing.Any,
    nexts: typing.Any,
    fractions: typing.Any,
    rows: typing.Any,
) -> None: ...
def sample_texels_u8(
    texels: typing.Any,
    ranges: typing.Any,
    clips: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    frames: typing.Any,
    nexts: typing.Any,
    fractions: typing.Any,
    rows: typing.Any,
) -> None: ...
def sealed(array: numpy.ndarray) -> typing.Any:
    """
    Return a view of an array that nobody can write; the caller gives up all other references. None where the array does not own its memory, or is not contiguous.
    """

def set_deterministic(on: bool) -> None:
    """
    Have them do so, or be as fast as they can.
    """

def set_thread_count(count: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Set it; 0 goes back to what it was at the start.
    """

def skin(
    function: str,
    method: str,
    mesh: SkinnedMesh,
    positions_out: typing.Any,
    normals_out: typing.Any,
    tangents_out: typing.Any,
    *,
    normals: typing.Any = None,
    tangents: typing.Any = None,
    centers: typing.Any = None,
    blend: typing.Any = None,
    matrices: typing.Any = None,
    dual_quats: typing.Any = None,
    quat_trans: typing.Any = None,
    scales: typing.Any = None,
    upright: bool = False,
    faces: bool = False,
    prepared: typing.Any = None,
    morphs: typing.Any = None,
    morph_weights: typing.Any = None,
) -> None:
    """
    Skins by the method of that name; errors name the function.
    """

def smooth_union(
    first: typing.Any,
    second: typing.Any,
    radius: typing.SupportsFloat | typing.SupportsIndex,
    sign: typing.SupportsFloat | typing.SupportsIndex,
    out: typing.Any,
) -> None:
    """
    Smooth minimum of two distances; with sign -1 their smooth maximum.
    """

def thread_count() -> int:
    """
    Threads that heavy calls may use.
    """

def tracks_span(
    keys: typing.Any,
    tracks: typing.Any,
    joint_count: typing.SupportsInt | typing.SupportsIndex,
    uniform: bool,
    morph_count: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    Check tracks but not their keys, and the grid of uniform ones; return the first and last key time.
    """

def transform_vectors(vectors: typing.Any, linear: typing.Any, offset: typing.Any, out: typing.Any) -> None:
    """
    Move points by a matrix and an offset; without one directions, which are brought to unit length.
    """

def trs_compose(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(10)->(10)
    """

def trs_compose_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(10)->(4,4)
    """

def trs_compose_shear(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(10)->()
    """

def trs_from_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (4,4)->(10)
    """

def trs_from_matrix_with_shear(
    *args: typing.Any,
) -> tuple[numpy.typing.NDArray[typing.Any], numpy.typing.NDArray[typing.Any]]:
    """
    (4,4)->(10),()
    """

def trs_from_parts(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (3),(4),(3)->(10)
    """

def trs_inverse(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10)->(10)
    """

def trs_inverse_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10)->(4,4)
    """

def trs_inverse_shear(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10)->()
    """

def trs_lerp(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(10),()->(10)
    """

def trs_lerp_as_given(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(10),()->(10)
    """

def trs_to_matrix(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10)->(4,4)
    """

def trs_transform_point(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(3)->(3)
    """

def trs_transform_vector(*args: typing.Any) -> numpy.typing.NDArray[typing.Any]:
    """
    (10),(3)->(3)
    """

def two_bone(
    tree: IkTree,
    arguments: tuple[typing.Any, ...],
    pole: typing.Any,
    twist: typing.Any,
    soften: typing.SupportsFloat | typing.SupportsIndex,
) -> None:
    """
    The analytic solver of limbs.
    """

def unskin(
    function: str,
    mesh: SkinnedMesh,
    matrices: typing.Any,
    dual_quats: typing.Any,
    scales: typing.Any,
    positions: typing.Any,
    normals: typing.Any,
    max_condition: typing.SupportsFloat | typing.SupportsIndex,
    refuse_unsolved: bool,
    positions_out: typing.Any,
    normals_out: typing.Any,
) -> tuple[int, int, int]: ...
def use_ik_result(type: type, slots: tuple[typing.Any, ...]) -> None:
    """
    Have plain solvers return objects of a class, given its slots for pose, residual, iterations, reached, limited, angle and stops.
    """

def used_columns(rows: typing.Any) -> int:
    """
    How many columns of an array have a number that is not zero.
    """

def write_texels_f16(
    rows: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    out: typing.Any,
) -> None: ...
def write_texels_f32(
    rows: typing.Any,
    quat: typing.SupportsInt | typing.SupportsIndex,
    flipped: typing.SupportsInt | typing.SupportsIndex,
    signed_rows: typing.SupportsInt | typing.SupportsIndex,
    out: typing.Any,
) -> None: ...

CURVE_JOINTS: int = 8
DISTANCE_BIN_COUNT: int = 16384
FADE_JOINTS: int = 4
SPRING_STEP: float = 0.016666666666666666
__version__: str = "0.1.0"
