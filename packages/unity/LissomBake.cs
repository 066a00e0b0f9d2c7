// SPDX-License-Identifier: MIT
using System;
using UnityEngine;

namespace Lissom
{
    /// <summary>A clip of a bake. Times of its line go from start to start + duration.</summary>
    [Serializable]
    public class LissomClip
    {
        public string name;
        public float start;
        public float duration;
        public int first;
        public int intervals;
        public bool loop;
    }

    /// <summary>What the importer makes of a file .lissom: poses, mesh and looks, as they were written.</summary>
    public class LissomBake : ScriptableObject
    {
        public LissomClip[] clips;
        public Texture2D poses;
        public Texture2D table;
        public Mesh mesh;
        public Material[] materials;
        /// <summary>Palette rows, texels of each, influences of a vertex, 0 linear, 1 dual quaternions, 2 matrices.</summary>
        public Vector4 shape;

        /// <summary>The number of a clip, -1 where there is none of that name.</summary>
        public int Find(string clip)
        {
            return Array.FindIndex(clips, one => one.name == clip);
        }

        /// <summary>A time that is held at the ends of a clip, or wrapped, in seconds from its start.</summary>
        public float Wrapped(int clip, float local)
        {
            float duration = clips[clip].duration;
            if (!clips[clip].loop || duration <= 0.0f)
                return Mathf.Clamp(local, 0.0f, duration);
            return local - duration * Mathf.Floor(local / duration);
        }
    }
}
