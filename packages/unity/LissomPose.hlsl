// SPDX-License-Identifier: MIT
// Moves a vertex by the clips of a bake, on the GPU: for shaders, and for Custom Function nodes of Shader Graph.
// Texels lie in lines of 2048. _LissomPoses: of each frame and row, real and dual part of a dual quaternion, then its
// scale; or the rows of a 3x4 matrix. _LissomClips: first frame, intervals, seconds, 1 where it loops.
// _LissomInstances, two texels each: clip, seconds into it, the clip that it fades to and 1, or 0, seconds into that;
// speed, second at which these numbers held, fade, fade a second. LissomCrowd.cs sets them all.
#ifndef LISSOM_POSE_INCLUDED
#define LISSOM_POSE_INCLUDED

Texture2D<float4> _LissomPoses;
Texture2D<float4> _LissomClips;
Texture2D<float4> _LissomInstances;
float4 _LissomShape;  // palette rows, texels of each, influences of a vertex, and LISSOM_*
float4 _LissomNow;    // whole seconds, the rest, number of the first instance of this call

#define LISSOM_LINEAR 0
#define LISSOM_DUAL_QUAT 1
#define LISSOM_MATRIX 2

// First texels of the two frames around a moment, of a clip and of that it fades to; and what each counts.
struct LissomMoment
{
    int4 firsts;
    float4 weights;
    bool fades;
};

// A palette row, mixed; the scale as rows of a 3x4.
struct LissomRow
{
    float4 real;
    float4 dual;
    float4 x;
    float4 y;
    float4 z;
};

// What the influences of a vertex add up to. The first influence is the heaviest: the others take its sign.
struct LissomSum
{
    float3 position;
    float3 normal;
    float4 pivot;
    LissomRow row;
};

float4 LissomTexel(int i)
{
    return _LissomPoses.Load(int3(i & 2047, i >> 11, 0));
}

// The frame before, the one after, and how far the moment is from the first of them.
float3 LissomFramesAround(int clip, float seconds)
{
    float4 told = _LissomClips.Load(int3(clip & 2047, clip >> 11, 0));
    if (told.z <= 0.0)
        return float3(told.x, told.x, 0.0);
    if (told.w > 0.0)
        seconds -= told.z * floor(seconds / told.z);
    float place = clamp(seconds / told.z, 0.0, 1.0) * told.y;
    float before = min(floor(place), max(told.y - 1.0, 0.0));
    return float3(told.x + before, told.x + min(before + 1.0, told.y), place - before);
}

LissomMoment LissomMomentOf(int number)
{
    int i = 2 * number;
    float4 what = _LissomInstances.Load(int3(i & 2047, i >> 11, 0));
    float4 how = _LissomInstances.Load(int3((i + 1) & 2047, (i + 1) >> 11, 0));
    float elapsed = (_LissomNow.x - how.y) + _LissomNow.y;
    float fade = what.z > 0.0 ? clamp(how.z + elapsed * how.w, 0.0, 1.0) : 0.0;
    float3 now = LissomFramesAround((int)what.x, what.y + elapsed * how.x);
    float3 next = now;
    if (fade > 0.0)
        next = LissomFramesAround((int)what.z - 1, what.w + elapsed * how.x);
    LissomMoment moment;
    moment.firsts = int4(now.xy, next.xy) * ((int)_LissomShape.x * (int)_LissomShape.y);
    moment.weights = float4((1.0 - fade) * (1.0 - now.z), (1.0 - fade) * now.z, fade * (1.0 - next.z), fade * next.z);
    moment.fades = fade > 0.0;
    return moment;
}

float4 LissomMixed(int4 at, float4 weights, bool fades)
{
    float4 sum = weights.x * LissomTexel(at.x) + weights.y * LissomTexel(at.y);
    if (fades)
        sum += weights.z * LissomTexel(at.z) + weights.w * LissomTexel(at.w);
    return sum;
}

// q and -q are one rotation: the frame after is signed to that before, the clip that is faded to, to this one.
LissomRow LissomRowOf(LissomMoment moment, int row)
{
    int texels = (int)_LissomShape.y;
    int4 at = moment.firsts + row * texels;
    float4 plain = moment.weights;
    LissomRow result;
    result.real = float4(0.0, 0.0, 0.0, 1.0);
    result.dual = 0.0;
    result.x = float4(1.0, 0.0, 0.0, 0.0);
    result.y = float4(0.0, 1.0, 0.0, 0.0);
    result.z = float4(0.0, 0.0, 1.0, 0.0);
    int scale = 2;  // where its texels begin
    if ((int)_LissomShape.w == LISSOM_MATRIX)
        scale = 0;
    else
    {
        float4 turning = plain;
        float4 a = LissomTexel(at.x);
        float4 b = LissomTexel(at.y);
        if (dot(a, b) < 0.0)
            turning.y = -turning.y;
        result.real = turning.x * a + turning.y * b;
        if (moment.fades)
        {
            float4 c = LissomTexel(at.z);
            float4 d = LissomTexel(at.w);
            if (dot(c, d) < 0.0)
                turning.w = -turning.w;
            float4 other = turning.z * c + turning.w * d;
            if (dot(result.real, other) < 0.0)
            {
                turning.zw = -turning.zw;
                other = -other;
            }
            result.real += other;
        }
        result.dual = LissomMixed(at + 1, turning, moment.fades);
    }
    if (texels - scale == 3)
    {
        result.x = LissomMixed(at + scale, plain, moment.fades);
        result.y = LissomMixed(at + (scale + 1), plain, moment.fades);
        result.z = LissomMixed(at + (scale + 2), plain, moment.fades);
    }
    else if (texels - scale == 1)
    {
        float4 even = LissomMixed(at + scale, plain, moment.fades);
        result.x = float4(even.w, 0.0, 0.0, even.x);
        result.y = float4(0.0, even.w, 0.0, even.y);
        result.z = float4(0.0, 0.0, even.w, even.z);
    }
    return result;
}

float3 LissomScaledPoint(LissomRow row, float3 p)
{
    float4 point4 = float4(p, 1.0);
    return float3(dot(row.x, point4), dot(row.y, point4), dot(row.z, point4));
}

float3 LissomScaledVector(LissomRow row, float3 v)
{
    return float3(dot(row.x.xyz, v), dot(row.y.xyz, v), dot(row.z.xyz, v));
}

// By the cofactor, which needs no division.
float3 LissomScaledNormal(LissomRow row, float3 n)
{
    return n.x * cross(row.y.xyz, row.z.xyz) + n.y * cross(row.z.xyz, row.x.xyz) + n.z * cross(row.x.xyz, row.y.xyz);
}

// By a dual quaternion of any length.
float3 LissomMovedPoint(LissomRow row, float3 p)
{
    float4 r = row.real;
    float4 d = row.dual;
    float3 inner = cross(r.xyz, p) + r.w * p + d.xyz;
    return p + 2.0 / dot(r, r) * (cross(r.xyz, inner) + r.w * d.xyz - d.w * r.xyz);
}

float3 LissomTurnedVector(LissomRow row, float3 v)
{
    float4 r = row.real;
    return v + 2.0 / dot(r, r) * cross(r.xyz, cross(r.xyz, v) + r.w * v);
}

void LissomAdd(inout LissomSum sum, LissomMoment moment, float weight, int number, float3 position, float3 normal)
{
    if (weight == 0.0)
        return;
    LissomRow row = LissomRowOf(moment, number);
    if ((int)_LissomShape.w == LISSOM_DUAL_QUAT)
    {
        if (dot(sum.pivot, sum.pivot) == 0.0)
            sum.pivot = row.real;
        float turning = dot(row.real, sum.pivot) < 0.0 ? -weight : weight;
        sum.row.real += turning * row.real;
        sum.row.dual += turning * row.dual;
        sum.row.x += weight * row.x;
        sum.row.y += weight * row.y;
        sum.row.z += weight * row.z;
    }
    else
    {
        sum.position += weight * LissomMovedPoint(row, LissomScaledPoint(row, position));
        sum.normal += weight * LissomTurnedVector(row, LissomScaledVector(row, normal));
    }
}

// `rows` holds two influences in each number: that of `weights` and 4096 times that of `more`.
void LissomMove(int number, float3 position, float3 normal, float4 rows, float4 weights, float4 more,
                out float3 movedPosition, out float3 movedNormal)
{
    LissomMoment moment = LissomMomentOf(number);
    LissomSum sum = (LissomSum)0;
    int4 both = int4(rows);
    int4 low = both & 4095;
    LissomAdd(sum, moment, weights.x, low.x, position, normal);
    LissomAdd(sum, moment, weights.y, low.y, position, normal);
    LissomAdd(sum, moment, weights.z, low.z, position, normal);
    LissomAdd(sum, moment, weights.w, low.w, position, normal);
    if (_LissomShape.z > 4.0)
    {
        int4 high = both >> 12;
        LissomAdd(sum, moment, more.x, high.x, position, normal);
        LissomAdd(sum, moment, more.y, high.y, position, normal);
        LissomAdd(sum, moment, more.z, high.z, position, normal);
        LissomAdd(sum, moment, more.w, high.w, position, normal);
    }
    movedPosition = sum.position;
    float3 turned = sum.normal;
    if ((int)_LissomShape.w == LISSOM_DUAL_QUAT)
    {
        movedPosition = LissomMovedPoint(sum.row, LissomScaledPoint(sum.row, position));
        turned = LissomTurnedVector(sum.row, LissomScaledNormal(sum.row, normal));
    }
    float square = dot(turned, turned);
    movedNormal = square > 0.0 ? turned * rsqrt(square) : normal;
}

// Custom Function nodes of Shader Graph: type File, name LissomPose, precision of the graph. InstanceID is the node of
// that name; Rows, Weights and More are UV1, UV2 and UV3; all else is in model space (Unity: Object), as the outputs are.
void LissomPose_float(float InstanceID, float3 Position, float3 Normal, float4 Rows, float4 Weights, float4 More,
                      out float3 PosedPosition, out float3 PosedNormal)
{
    LissomMove((int)(_LissomNow.z + InstanceID), Position, Normal, Rows, Weights, More, PosedPosition, PosedNormal);
}

// Numbers of rows do not fit into halves: the inputs from the mesh are floats in both.
void LissomPose_half(float InstanceID, float3 Position, float3 Normal, float4 Rows, float4 Weights, float4 More,
                     out half3 PosedPosition, out half3 PosedNormal)
{
    float3 position, normal;
    LissomPose_float(InstanceID, Position, Normal, Rows, Weights, More, position, normal);
    PosedPosition = half3(position);
    PosedNormal = half3(normal);
}

#endif
