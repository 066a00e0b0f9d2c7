// SPDX-License-Identifier: MIT
// Calls a crowd of the form "unity" at random, and sees that times, clips and fades are those of a plain simulation in
// double precision: as the crowd tells them, and as LissomPose.hlsl reads them. Prints the largest difference.
using System;
using System.Reflection;
using Lissom;
using UnityEngine;

static class Play
{
    const int Count = 130; // two calls of Unity
    static readonly LissomClip[] Clips =
    {
        new LissomClip { name = "walk", start = 0.5f, duration = 1.1f, loop = true },
        new LissomClip { name = "wave", start = 0.0f, duration = 2.3f, loop = false },
        new LissomClip { name = "run", start = 0.0f, duration = 0.7f, loop = true },
    };

    class One
    {
        public int clip, other = -1;
        public double time, otherTime, fade, aSecond, speed = 1.0;

        public int Shown { get { return other < 0 ? clip : other; } }
        public double ShownTime { get { return other < 0 ? time : otherTime; } }

        public void Start(int to, double at)
        {
            clip = to;
            time = at;
            other = -1;
            fade = 0.0;
        }
    }

    static double Held(int clip, double time)
    {
        double duration = Clips[clip].duration;
        if (!Clips[clip].loop)
            return Math.Max(0.0, Math.Min(duration, time));
        return time - duration * Math.Floor(time / duration);
    }

    static double Apart(int clip, double a, double b)
    {
        double apart = Math.Abs(a - b);
        return Clips[clip].loop ? Math.Min(apart, Clips[clip].duration - apart) : apart;
    }

    static int Main()
    {
        var crowd = new LissomCrowd { count = Count, playing = false, bake = new LissomBake() };
        crowd.bake.clips = Clips;
        crowd.bake.mesh = new Mesh();
        crowd.bake.materials = new[] { new Material(null) };
        var update = typeof(LissomCrowd).GetMethod("Update", BindingFlags.NonPublic | BindingFlags.Instance);
        var chance = new System.Random(1);
        var all = Array.ConvertAll(new One[Count], one => new One());
        double worst = 0.0;
        for (int step = 0; step < 20000; ++step)
        {
            int i = chance.Next(8); // few, so that they are called in the midst of fades
            int clip = chance.Next(3);
            double share = chance.NextDouble();
            float time = (float)(Clips[clip].start + share * Clips[clip].duration);
            switch (chance.Next(7))
            {
                case 0:
                    crowd.SetClip(i, Clips[clip].name, time);
                    all[i].Start(clip, Held(clip, time - Clips[clip].start));
                    break;
                case 1:
                    if (all[i].fade >= 0.5)
                        all[i].Start(all[i].other, all[i].otherTime);
                    crowd.FadeTo(i, Clips[clip].name, (float)(0.05 + share), time);
                    all[i].other = clip;
                    all[i].otherTime = Held(clip, time - Clips[clip].start);
                    all[i].fade = 0.0;
                    all[i].aSecond = 1.0 / (0.05 + share);
                    break;
                case 2:
                    all[i].speed = 2.0 * share - 0.5;
                    crowd.SetSpeed(i, (float)all[i].speed);
                    break;
                case 3:
                    int shown = all[i].Shown;
                    double local = Held(shown, share);
                    crowd.SetTime(i, (float)(Clips[shown].start + share));
                    if (all[i].other < 0)
                        all[i].time = local;
                    else
                        all[i].otherTime = local;
                    break;
                default:
                    double seconds = 0.2 * share;
                    crowd.Advance((float)seconds);
                    foreach (One one in all)
                    {
                        one.time = Held(one.clip, one.time + one.speed * seconds);
                        if (one.other < 0)
                            continue;
                        one.otherTime = Held(one.other, one.otherTime + one.speed * seconds);
                        one.fade += one.aSecond * seconds;
                        if (one.fade >= 1.0)
                            one.Start(one.other, one.otherTime);
                    }
                    break;
            }
            update.Invoke(crowd, null);
            worst = Math.Max(worst, Worst(crowd, all));
        }
        Console.WriteLine(worst.ToString("R", System.Globalization.CultureInfo.InvariantCulture) + " " + Graphics.calls);
        return 0;
    }

    static double Worst(LissomCrowd crowd, One[] all)
    {
        double worst = 0.0;
        var numbers = (float[])MaterialPropertyBlock.instances.data;
        Vector4 now = MaterialPropertyBlock.now;
        for (int i = 0; i < 8; ++i)
        {
            One one = all[i];
            if (crowd.GetClip(i) != Clips[one.Shown].name)
                return double.PositiveInfinity;
            worst = Math.Max(worst, Apart(one.Shown, crowd.GetTime(i) - Clips[one.Shown].start, one.ShownTime));
            worst = Math.Max(worst, Math.Abs(crowd.GetFade(i) - one.fade));
            // As the shader reads it: a fade that is over shows the other clip alone.
            int at = 8 * i;
            float elapsed = (now.x - numbers[at + 5]) + now.y;
            float fade = numbers[at + 2] > 0.0f ? numbers[at + 6] + elapsed * numbers[at + 7] : 0.0f;
            if (fade < 1.0f)
            {
                worst = Math.Max(worst, Math.Abs(fade - one.fade));
                double time = Held(one.clip, numbers[at + 1] + elapsed * numbers[at + 4]);
                worst = Math.Max(worst, Apart(one.clip, time, one.time));
            }
            if (fade > 0.0f)
            {
                double time = Held(one.Shown, numbers[at + 3] + elapsed * numbers[at + 4]);
                worst = Math.Max(worst, Apart(one.Shown, time, one.ShownTime));
            }
        }
        return worst;
    }
}
