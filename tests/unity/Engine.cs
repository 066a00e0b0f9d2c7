// SPDX-License-Identifier: MIT
// The part of Unity's interface that the scripts of the form "unity" call, by its documentation, for a compiler
// without Unity. What is drawn is kept: the numbers of instances, and the clock of the last call.
using System;

namespace UnityEngine
{
    public class Object
    {
        public string name;
        public static void Destroy(Object thing) { }
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : new() { return new T(); }
    }

    public class GameObject : Object { public int layer; }

    public class Component : Object
    {
        public Transform transform = null;
        public GameObject gameObject = new GameObject();
    }

    public class Transform : Component { public Matrix4x4 localToWorldMatrix = new Matrix4x4(); }

    public class MonoBehaviour : Component
    {
        public MonoBehaviour() { transform = new Transform(); }
    }

    public enum FilterMode { Point }
    public enum TextureWrapMode { Clamp }
    public enum TextureFormat { RGBAHalf, RGBAFloat, RGBA32 }

    public class Texture : Object
    {
        public FilterMode filterMode;
        public TextureWrapMode wrapMode;
    }

    public class Texture2D : Texture
    {
        public Array data;
        public Texture2D(int width, int height, TextureFormat format, bool mipmaps, bool linear) { }
        public void SetPixelData<T>(T[] given, int level) { data = (Array)given.Clone(); }
        public void Apply(bool mipmaps = true, bool forget = false) { }
        public bool LoadImage(byte[] bytes, bool forget = false) { return true; }
    }

    public class Mesh : Object
    {
        public Bounds bounds = new Bounds();
        public Rendering.IndexFormat indexFormat;
        public Vector3[] vertices, normals;
        public Color[] colors;
        public int subMeshCount;
        public void SetUVs(int channel, Vector2[] uvs) { }
        public void SetUVs(int channel, Vector4[] uvs) { }
        public void SetTriangles(int[] triangles, int submesh, bool bounds) { }
    }

    public class Shader : Object { public static Shader Find(string name) { return null; } }

    public class Material : Object
    {
        public bool enableInstancing;
        public int renderQueue;
        public Material(Shader shader) { }
        public void SetColor(string name, Color value) { }
        public void SetVector(string name, Vector4 value) { }
        public void SetFloat(string name, float value) { }
        public void SetTexture(string name, Texture value) { }
    }

    public class MaterialPropertyBlock
    {
        public static Vector4 now;
        public static Texture2D instances;

        public void SetVector(string name, Vector4 value)
        {
            if (name == "_LissomNow")
                now = value;
        }

        public void SetTexture(string name, Texture value)
        {
            if (name == "_LissomInstances")
                instances = (Texture2D)value;
        }
    }

    public struct Color
    {
        public static implicit operator Color(Vector4 vector) { return new Color(); }
    }

    public struct Vector2 { public Vector2(float x, float y) { } }

    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 one { get { return new Vector3(1, 1, 1); } }
        public float magnitude { get { return (float)Math.Sqrt(x * x + y * y + z * z); } }
        public static Vector3 operator *(float s, Vector3 v) { return new Vector3(s * v.x, s * v.y, s * v.z); }
        public static implicit operator Vector3(Vector4 v) { return new Vector3(v.x, v.y, v.z); }
    }

    public struct Vector4
    {
        public float x, y, z, w;
        public Vector4(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }

    public struct Matrix4x4
    {
        public Vector3 lossyScale { get { return Vector3.one; } }
        public static Matrix4x4 Translate(Vector3 vector) { return new Matrix4x4(); }
        public Vector4 GetColumn(int column) { return new Vector4(); }
        public static Matrix4x4 operator *(Matrix4x4 a, Matrix4x4 b) { return b; }
    }

    public struct Bounds
    {
        public Vector3 center, extents;
        public Bounds(Vector3 center, Vector3 size) { this.center = center; extents = 0.5f * size; }
        public void Encapsulate(Bounds bounds) { }
        public void SetMinMax(Vector3 low, Vector3 high) { }
    }

    public static class Mathf
    {
        public static float Min(float a, float b) { return Math.Min(a, b); }
        public static int Min(int a, int b) { return Math.Min(a, b); }
        public static float Max(float a, float b) { return Math.Max(a, b); }
        public static int Max(int a, int b) { return Math.Max(a, b); }
        public static float Abs(float a) { return Math.Abs(a); }
        public static float Sqrt(float a) { return (float)Math.Sqrt(a); }
        public static float Floor(float a) { return (float)Math.Floor(a); }
        public static int FloorToInt(float a) { return (int)Math.Floor(a); }
        public static int CeilToInt(float a) { return (int)Math.Ceiling(a); }
        public static float Clamp(float a, float low, float high) { return Math.Max(low, Math.Min(a, high)); }
    }

    public class MinAttribute : Attribute { public MinAttribute(float least) { } }
    public static class Time { public static float deltaTime = 0.0f; }

    public struct RenderParams
    {
        public int layer;
        public MaterialPropertyBlock matProps;
        public Bounds worldBounds;
        public Rendering.ShadowCastingMode shadowCastingMode;
        public bool receiveShadows;
        public RenderParams(Material material) : this() { }
    }

    public static class Graphics
    {
        public static int calls;

        public static void RenderMeshInstanced<T>(
            RenderParams how, Mesh mesh, int submesh, T[] instances, int count = -1, int start = 0)
        {
            ++calls;
        }
    }

    public static class JsonUtility { public static T FromJson<T>(string json) { return default(T); } }
}

namespace UnityEngine.Rendering
{
    public enum ShadowCastingMode { Off, On }
    public enum IndexFormat { UInt16, UInt32 }
    public enum CullMode { Off, Front, Back }
    public enum RenderQueue { AlphaTest, Transparent }
    public enum BlendMode { SrcAlpha, OneMinusSrcAlpha }
}

namespace UnityEditor.AssetImporters
{
    public class ScriptedImporterAttribute : Attribute
    {
        public ScriptedImporterAttribute(int version, string extension, int offset = 0) { }
    }

    public abstract class ScriptedImporter
    {
        public abstract void OnImportAsset(AssetImportContext context);
    }

    public class AssetImportContext
    {
        public string assetPath = "";
        public void LogImportError(string words) { }
        public void AddObjectToAsset(string name, UnityEngine.Object thing) { }
        public void SetMainObject(UnityEngine.Object thing) { }
    }
}
