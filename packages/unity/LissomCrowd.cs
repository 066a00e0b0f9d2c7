// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.Rendering;

namespace Lissom
{
    /// <summary>A crowd of one bake. Each instance plays a clip of its own, at its own time and speed, and fades.</summary>
    /// <remarks>
    /// Times are seconds on a clip's own line; they wrap where it loops, and are held at its ends where it does not.
    /// What plays on by itself costs nothing here: the vertex shader reads the clock.
    /// </remarks>
    public class LissomCrowd : MonoBehaviour
    {
        const int Line = 2048; // texels of a line of the texture
        const int Numbers = 8; // of an instance: see LissomPose.hlsl
        const float Afresh = 30.0f; // seconds after which times are counted from anew: they stay exact in float32
        // Instances of a call: their matrices fit the smallest constant buffer, 16 KB, so that Unity splits no call.
        const int PerCall = 125;

        public LissomBake bake;
        [Min(1)] public int count = 100;
        /// <summary>Other materials than the bake's, one for each look.</summary>
        public Material[] materials;
        /// <summary>Metres between neighbours of the square in which they stand at first.</summary>
        public float spacing = 1.0f;
        /// <summary>Whether time passes by itself; else by Advance.</summary>
        public bool playing = true;
        public ShadowCastingMode shadows = ShadowCastingMode.On;

        /// <summary>Of each instance its place, relative to this object; write into it at any time.</summary>
        [NonSerialized] public Matrix4x4[] places;

        float[] numbers;
        Texture2D instances;
        readonly List<MaterialPropertyBlock> blocks = new List<MaterialPropertyBlock>();
        Matrix4x4[] drawn;
        int second;
        float fraction;
        bool changed;
        float due;
        int next;

        void Awake()
        {
            Prepare();
        }

        void OnDestroy()
        {
            if (instances != null)
                Destroy(instances);
        }

        void Update()
        {
            Prepare();
            if (playing)
                Advance(Time.deltaTime);
            Draw();
        }

        /// <summary>Lets time pass for all instances; negative goes back.</summary>
        public void Advance(float seconds)
        {
            Prepare();
            fraction += seconds;
            int whole = Mathf.FloorToInt(fraction);
            second += whole;
            fraction -= whole;
            due = Mathf.Min(due + count * Mathf.Abs(seconds) / Afresh, count);
            for (; due >= 1.0f; due -= 1.0f)
            {
                Settle(next);
                next = (next + 1) % count;
            }
        }

        /// <summary>Has an instance play a clip, from a time on; from its start when omitted.</summary>
        public void SetClip(int i, string clip, float time = float.NaN)
        {
            int found = Checked(i, clip);
            Play(Numbers * i, found, Local(found, time));
        }

        /// <summary>Fades to another clip. In the midst of a fade, the clip of smaller weight is dropped.</summary>
        public void FadeTo(int i, string clip, float seconds, float time = float.NaN)
        {
            int found = Checked(i, clip);
            Settle(i);
            int at = Numbers * i;
            if (numbers[at + 2] > 0.0f && Fade(at) >= 0.5f)
                Play(at, (int)numbers[at + 2] - 1, numbers[at + 3] + numbers[at + 4] * fraction);
            if (seconds <= 0.0f)
            {
                Play(at, found, Local(found, time));
                return;
            }
            numbers[at + 2] = found + 1;
            numbers[at + 3] = Local(found, time) - numbers[at + 4] * fraction;
            numbers[at + 6] = -fraction / seconds;
            numbers[at + 7] = 1.0f / seconds;
        }

        /// <summary>1 is the clip's own speed, 0 stands still, negative plays backwards.</summary>
        public void SetSpeed(int i, float speed)
        {
            Checked(i);
            Settle(i);
            int at = Numbers * i;
            float change = (numbers[at + 4] - speed) * fraction;
            numbers[at + 1] += change;
            numbers[at + 3] += change;
            numbers[at + 4] = speed;
        }

        /// <summary>Moves an instance to a time of its clip; of the one that it fades to, in a fade.</summary>
        public void SetTime(int i, float time)
        {
            Checked(i);
            Settle(i);
            int at = Numbers * i + Slot(i);
            numbers[at + 1] = Local(Shown(i), time) - numbers[Numbers * i + 4] * fraction;
        }

        /// <summary>The clip that an instance plays; the one that it fades to, in a fade.</summary>
        public string GetClip(int i)
        {
            Checked(i);
            return bake.clips[Shown(i)].name;
        }

        /// <summary>The time of the clip of GetClip.</summary>
        public float GetTime(int i)
        {
            Checked(i);
            int at = Numbers * i;
            int clip = Shown(i);
            float local = numbers[at + Slot(i) + 1] + numbers[at + 4] * Elapsed(at);
            return bake.clips[clip].start + bake.Wrapped(clip, local);
        }

        /// <summary>How far a fade is, from 0 to 1; 0 where there is none.</summary>
        public float GetFade(int i)
        {
            Checked(i);
            float fade = numbers[Numbers * i + 2] == 0.0f ? 0.0f : Fade(Numbers * i);
            return fade < 1.0f ? fade : 0.0f;
        }

        void Prepare()
        {
            if (instances != null)
                return;
            if (bake == null)
                throw new InvalidOperationException("LissomCrowd: bake must be set, got none; drag a .lissom onto it");
            int lines = Mathf.Max(1, (2 * count + Line - 1) / Line);
            numbers = new float[4 * Line * lines];
            places = new Matrix4x4[count];
            drawn = new Matrix4x4[count];
            int columns = Mathf.CeilToInt(Mathf.Sqrt(count));
            for (int i = 0; i < count; ++i)
            {
                numbers[Numbers * i + 4] = 1.0f;
                var place = new Vector3(i % columns - 0.5f * (columns - 1), 0.0f, i / columns);
                places[i] = Matrix4x4.Translate(spacing * place);
            }
            instances = new Texture2D(Line, lines, TextureFormat.RGBAFloat, false, true);
            instances.filterMode = FilterMode.Point;
            instances.wrapMode = TextureWrapMode.Clamp;
            for (int start = 0; start < count; start += PerCall)
            {
                var block = new MaterialPropertyBlock();
                block.SetTexture("_LissomPoses", bake.poses);
                block.SetTexture("_LissomClips", bake.table);
                block.SetTexture("_LissomInstances", instances);
                block.SetVector("_LissomShape", bake.shape);
                blocks.Add(block);
            }
            changed = true;
        }

        void Draw()
        {
            if (changed)
            {
                instances.SetPixelData(numbers, 0);
                instances.Apply(false);
                changed = false;
            }
            Matrix4x4 own = transform.localToWorldMatrix;
            Bounds box = bake.mesh.bounds;
            float reach = box.center.magnitude + 1.1f * box.extents.magnitude; // fades may leave the box by some hundredths
            for (int call = 0; call < blocks.Count; ++call)
            {
                int start = PerCall * call;
                int end = Mathf.Min(start + PerCall, count);
                var bounds = new Bounds();
                for (int i = start; i < end; ++i)
                {
                    drawn[i] = own * places[i];
                    Vector3 scale = drawn[i].lossyScale;
                    float size = 2.0f * reach * Mathf.Max(scale.x, Mathf.Max(scale.y, scale.z));
                    var around = new Bounds((Vector3)drawn[i].GetColumn(3), size * Vector3.one);
                    if (i == start)
                        bounds = around;
                    else
                        bounds.Encapsulate(around);
                }
                blocks[call].SetVector("_LissomNow", new Vector4(second, fraction, start, 0.0f));
                Material[] looks = materials != null && materials.Length > 0 ? materials : bake.materials;
                for (int look = 0; look < looks.Length; ++look)
                {
                    var told = new RenderParams(looks[look]);
                    told.layer = gameObject.layer;
                    told.matProps = blocks[call];
                    told.worldBounds = bounds;
                    told.shadowCastingMode = shadows;
                    told.receiveShadows = true;
                    Graphics.RenderMeshInstanced(told, bake.mesh, look, drawn, end - start, start);
                }
            }
        }

        void Play(int at, int clip, float local)
        {
            numbers[at] = clip;
            numbers[at + 1] = local - numbers[at + 4] * fraction;
            numbers[at + 2] = 0.0f;
            numbers[at + 3] = 0.0f;
            numbers[at + 5] = second;
            numbers[at + 6] = 0.0f;
            numbers[at + 7] = 0.0f;
            changed = true;
        }

        // Counts an instance from this second on, and ends a fade that is over.
        void Settle(int i)
        {
            int at = Numbers * i;
            float elapsed = second - numbers[at + 5];
            float ago = numbers[at + 4] * fraction;
            float step = numbers[at + 4] * elapsed + ago;
            numbers[at + 1] = bake.Wrapped((int)numbers[at], numbers[at + 1] + step) - ago;
            numbers[at + 5] = second;
            changed = true;
            if (numbers[at + 2] == 0.0f)
                return;
            int other = (int)numbers[at + 2] - 1;
            numbers[at + 3] = bake.Wrapped(other, numbers[at + 3] + step) - ago;
            numbers[at + 6] += numbers[at + 7] * elapsed;
            if (Fade(at) >= 1.0f)
                Play(at, other, numbers[at + 3] + ago);
        }

        float Elapsed(int at)
        {
            return second - numbers[at + 5] + fraction;
        }

        float Fade(int at)
        {
            return numbers[at + 6] + numbers[at + 7] * Elapsed(at);
        }

        // Where the clip of GetClip has its numbers.
        int Slot(int i)
        {
            return numbers[Numbers * i + 2] == 0.0f ? 0 : 2;
        }

        int Shown(int i)
        {
            int slot = Slot(i);
            return (int)numbers[Numbers * i + slot] - slot / 2;
        }

        // Seconds from a clip's start, of a time on its own line.
        float Local(int clip, float time)
        {
            return float.IsNaN(time) ? 0.0f : bake.Wrapped(clip, time - bake.clips[clip].start);
        }

        void Checked(int i)
        {
            Prepare();
            if (i < 0 || i >= count)
                throw new ArgumentOutOfRangeException("i", "LissomCrowd: i must be from 0 to " + (count - 1) + ", got " + i);
        }

        int Checked(int i, string clip)
        {
            Checked(i);
            int found = bake.Find(clip);
            if (found < 0)
            {
                string names = string.Join(", ", Array.ConvertAll(bake.clips, one => one.name));
                throw new ArgumentException("LissomCrowd: clip must be one of " + names + ", got " + clip);
            }
            return found;
        }
    }
}
