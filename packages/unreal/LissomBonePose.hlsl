// SPDX-License-Identifier: MIT
// The code of a Custom node: moves a vertex by rotations and places of joints in textures, mixed between two frames.
// Returns the offset in local space, centimetres; the additional output PosedNormal is the normal there.
// Inputs: Position, Normal: of the vertex in local space. Uv: its texel of weights. Time: seconds.
// TimeOffset, PlayRate, StartFrame, EndFrame, Loop (1 or 0): of the instance. The same with Next: the clip that it
// fades to, from the second FadeStart on for FadeSeconds; 0 of these: it does not. DualQuat: 1, or 0 for linear blending.
// BonePosition: from MinBBox to MinBBox + SizeBBox; in frame 0 where joints are in the bind pose, then how far they
// moved. BoneRotation: (1 + q) / 2 of a unit quaternion. RowsPerFrame: rows of texels of a frame.
// BoneWeights: weights, BoneWeightsRowsPerFrame below them numbers of palette rows over Steps. SampleRate: frames a second.

uint across, down;
BoneWeights.GetDimensions(across, down);
int2 texel = int2(floor(Uv * float2(across, down)));
float4 weights = BoneWeights.Load(int3(texel, 0));
float4 shares = BoneWeights.Load(int3(texel.x, texel.y + (int)BoneWeightsRowsPerFrame, 0));
int4 numbers = int4(floor(shares * Steps + 0.5));
BonePosition.GetDimensions(across, down);
int width = (int)across;

// Of both clips the rows of texels of the frames before and after now, and how far now is between them.
float4 plays[2] = {float4(TimeOffset, PlayRate, StartFrame, EndFrame),
                   float4(NextTimeOffset, NextPlayRate, NextStartFrame, NextEndFrame)};
float loops[2] = {Loop, NextLoop};
int2 lines[2];
float between[2];
[unroll]
for (int k = 0; k < 2; ++k)
{
    float intervals = plays[k].w - plays[k].z;
    float place = (Time + plays[k].x) * plays[k].y * SampleRate;
    if (loops[k] > 0.5 && intervals > 0.0)
        place -= intervals * floor(place / intervals);
    place = clamp(place, 0.0, intervals);
    float before = min(floor(place), max(intervals - 1.0, 0.0));
    between[k] = place - before;
    lines[k] = int2((plays[k].z + float2(before, min(before + 1.0, intervals))) * RowsPerFrame + 0.5);
}
float fade = FadeSeconds > 0.0 ? clamp((Time - FadeStart) / FadeSeconds, 0.0, 1.0) : 0.0;

float3 moved = 0.0;
float3 turned = 0.0;
float4 heaviest = 0.0;
float4 real = 0.0;
float4 dual = 0.0;
[unroll]
for (int i = 0; i < 4; ++i)
{
    int3 rest = int3(numbers[i] % width, numbers[i] / width, 0);
    float3 pivot = MinBBox + SizeBBox * BonePosition.Load(rest).xyz;
    // A dual quaternion about the pivot: frames are mixed, then clips.
    float4 r = 0.0;
    float4 d = 0.0;
    [unroll]
    for (int c = 0; c < 2; ++c)
    {
        if (c == 0 || fade > 0.0)
        {
            int3 one = rest + int3(0, lines[c].x, 0);
            int3 two = rest + int3(0, lines[c].y, 0);
            float3 p = MinBBox + SizeBBox * BonePosition.Load(one).xyz;
            float3 q = MinBBox + SizeBBox * BonePosition.Load(two).xyz;
            float4 a = 2.0 * BoneRotation.Load(one) - 1.0;
            float4 b = 2.0 * BoneRotation.Load(two) - 1.0;
            // a and -a are one rotation. Both are rounded: each is made unit before it counts.
            a *= rsqrt(dot(a, a));
            b *= rsqrt(dot(b, b)) * (dot(a, b) < 0.0 ? -1.0 : 1.0);
            float4 turn = lerp(a, b, between[c]);
            float4 move = 0.5 * lerp(float4(cross(p, a.xyz) + a.w * p, -dot(p, a.xyz)),
                                     float4(cross(q, b.xyz) + b.w * q, -dot(q, b.xyz)), between[c]);
            float mixed = c == 0 ? 1.0 : fade;
            float side = dot(r, turn) < 0.0 ? -1.0 : 1.0;
            r = lerp(r, side * turn, mixed);
            d = lerp(d, side * move, mixed);
        }
    }
    if (DualQuat > 0.5)
    {
        if (i == 0)
            heaviest = r;  // the others take its sign
        float weight = dot(r, heaviest) < 0.0 ? -weights[i] : weights[i];
        real += weight * r;
        dual += weight * (d + float4(cross(pivot, r.xyz), 0.0));  // about the origin
    }
    else
    {
        float scale = 2.0 / dot(r, r);
        float3 arm = Position - pivot;
        float3 inner = cross(r.xyz, arm) + r.w * arm + d.xyz;
        moved += weights[i] * (Position + scale * (cross(r.xyz, inner) + r.w * d.xyz - d.w * r.xyz));
        turned += weights[i] * (Normal + scale * cross(r.xyz, cross(r.xyz, Normal) + r.w * Normal));
    }
}
if (DualQuat > 0.5)
{
    float scale = 2.0 / dot(real, real);
    float3 inner = cross(real.xyz, Position) + real.w * Position + dual.xyz;
    moved = Position + scale * (cross(real.xyz, inner) + real.w * dual.xyz - dual.w * real.xyz);
    turned = Normal + scale * cross(real.xyz, cross(real.xyz, Normal) + real.w * Normal);
}
float square = dot(turned, turned);
PosedNormal = square > 0.0 ? turned * rsqrt(square) : Normal;
return moved - Position;
