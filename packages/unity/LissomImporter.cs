// SPDX-License-Identifier: MIT
using System;
using System.IO;
using System.Text;
using UnityEditor.AssetImporters;
using UnityEngine;
using UnityEngine.Rendering;

namespace Lissom
{
    /// <summary>Makes textures, mesh and materials of a file .lissom, exactly as it has them.</summary>
    [ScriptedImporter(1, "lissom", 1000)] // after shaders
    public class LissomImporter : ScriptedImporter
    {
        const int Line = 2048; // texels of a line of a texture

        [Serializable]
        class Block
        {
            public int offset;
            public int bytes;
        }

        [Serializable]
        class Look
        {
            public string name;
            public Color color;
            public Vector4 emission;
            public string mode;
            public float cutoff;
            public bool doubleSided;
            public bool unlit;
            public int picture;
            public int emissionPicture;
            public int firstIndex;
            public int indices;
        }

        [Serializable]
        class Header
        {
            public int version;
            public string name;
            public int rows;
            public int texels;
            public int influences;
            public int kind;
            public bool half;
            public int lines;
            public int vertices;
            public Vector3 low;
            public Vector3 high;
            public LissomClip[] clips;
            public Look[] looks;
            public Block[] pictures;
            public Block poses, positions, normals, uvs, colors, influenceRows, weights, more, triangles;
        }

        byte[] file;
        int start;

        public override void OnImportAsset(AssetImportContext context)
        {
            file = File.ReadAllBytes(context.assetPath);
            if (file.Length < 12 || Encoding.ASCII.GetString(file, 0, 8) != "lissom-u")
            {
                context.LogImportError("lissom: the file must be one of lissom's form \"unity\", got another");
                return;
            }
            int length = BitConverter.ToInt32(file, 8);
            start = 12 + length;
            var header = JsonUtility.FromJson<Header>(Encoding.UTF8.GetString(file, 12, length));
            if (header.version != 1)
            {
                context.LogImportError("lissom: version must be 1, got " + header.version + "; copy Lissom/ of the newer export");
                return;
            }
            var shader = Shader.Find("Lissom/Crowd");
            if (shader == null)
            {
                context.LogImportError("lissom: the shader Lissom/Crowd must be in the project, got none; copy Lissom/, then reimport");
                return;
            }
            var bake = ScriptableObject.CreateInstance<LissomBake>();
            bake.name = header.name;
            bake.clips = header.clips;
            bake.shape = new Vector4(header.rows, header.texels, header.influences, header.kind);
            bake.poses = Texels("poses", header.half ? TextureFormat.RGBAHalf : TextureFormat.RGBAFloat, header.lines);
            bake.poses.SetPixelData(Bytes(header.poses), 0);
            bake.poses.Apply(false);
            bake.table = TableOf(header.clips);
            bake.mesh = MeshOf(header);
            var pictures = new Texture2D[header.pictures.Length];
            for (int i = 0; i < pictures.Length; ++i)
            {
                pictures[i] = new Texture2D(2, 2, TextureFormat.RGBA32, true, false);
                pictures[i].name = "picture " + i;
                pictures[i].LoadImage(Bytes(header.pictures[i]));
                context.AddObjectToAsset(pictures[i].name, pictures[i]);
            }
            bake.materials = Array.ConvertAll(header.looks, look => MaterialOf(shader, look, pictures));
            for (int i = 0; i < bake.materials.Length; ++i)
                context.AddObjectToAsset("material " + i, bake.materials[i]);
            context.AddObjectToAsset("poses", bake.poses);
            context.AddObjectToAsset("clips", bake.table);
            context.AddObjectToAsset("mesh", bake.mesh);
            context.AddObjectToAsset("bake", bake);
            context.SetMainObject(bake);
        }

        static Texture2D Texels(string name, TextureFormat format, int lines)
        {
            var texture = new Texture2D(Line, lines, format, false, true);
            texture.name = name;
            texture.filterMode = FilterMode.Point;
            texture.wrapMode = TextureWrapMode.Clamp;
            return texture;
        }

        static Texture2D TableOf(LissomClip[] clips)
        {
            int lines = (clips.Length + Line - 1) / Line;
            var numbers = new float[4 * Line * lines];
            for (int i = 0; i < clips.Length; ++i)
            {
                numbers[4 * i] = clips[i].first;
                numbers[4 * i + 1] = clips[i].intervals;
                numbers[4 * i + 2] = clips[i].duration;
                numbers[4 * i + 3] = clips[i].loop ? 1.0f : 0.0f;
            }
            var texture = Texels("clips", TextureFormat.RGBAFloat, lines);
            texture.SetPixelData(numbers, 0);
            texture.Apply(false);
            return texture;
        }

        // It stays readable: Unity rounds vertices of meshes that are not to halves (Vertex Compression).
        Mesh MeshOf(Header header)
        {
            var mesh = new Mesh();
            mesh.name = header.name;
            mesh.indexFormat = header.vertices > 65535 ? IndexFormat.UInt32 : IndexFormat.UInt16;
            mesh.vertices = Vectors3(header.positions);
            mesh.normals = Vectors3(header.normals);
            mesh.SetUVs(0, Vectors2(header.uvs));
            mesh.SetUVs(1, Vectors4(header.influenceRows));
            mesh.SetUVs(2, Vectors4(header.weights));
            if (header.more.bytes > 0)
                mesh.SetUVs(3, Vectors4(header.more));
            mesh.colors = Array.ConvertAll(Vectors4(header.colors), one => (Color)one);
            var indices = new int[header.triangles.bytes / 4];
            Buffer.BlockCopy(file, start + header.triangles.offset, indices, 0, header.triangles.bytes);
            mesh.subMeshCount = header.looks.Length;
            for (int i = 0; i < header.looks.Length; ++i)
            {
                var own = new int[header.looks[i].indices];
                Array.Copy(indices, header.looks[i].firstIndex, own, 0, own.Length);
                mesh.SetTriangles(own, i, false);
            }
            var box = new Bounds();
            box.SetMinMax(header.low, header.high);
            mesh.bounds = box;
            return mesh;
        }

        static Material MaterialOf(Shader shader, Look look, Texture2D[] pictures)
        {
            var material = new Material(shader);
            material.name = look.name;
            material.enableInstancing = true;
            material.SetColor("_BaseColor", look.color);
            material.SetVector("_Emission", look.emission);
            material.SetFloat("_Unlit", look.unlit ? 1.0f : 0.0f);
            material.SetFloat("_Cull", (float)(look.doubleSided ? CullMode.Off : CullMode.Back));
            if (look.picture >= 0)
                material.SetTexture("_BaseMap", pictures[look.picture]);
            if (look.emissionPicture >= 0)
                material.SetTexture("_EmissionMap", pictures[look.emissionPicture]);
            if (look.mode == "mask")
            {
                material.SetFloat("_Cutoff", look.cutoff);
                material.renderQueue = (int)RenderQueue.AlphaTest;
            }
            else if (look.mode == "blend")
            {
                material.SetFloat("_SrcBlend", (float)BlendMode.SrcAlpha);
                material.SetFloat("_DstBlend", (float)BlendMode.OneMinusSrcAlpha);
                material.SetFloat("_ZWrite", 0.0f);
                material.renderQueue = (int)RenderQueue.Transparent;
            }
            return material;
        }

        byte[] Bytes(Block block)
        {
            var bytes = new byte[block.bytes];
            Buffer.BlockCopy(file, start + block.offset, bytes, 0, block.bytes);
            return bytes;
        }

        float[] Floats(Block block)
        {
            var numbers = new float[block.bytes / 4];
            Buffer.BlockCopy(file, start + block.offset, numbers, 0, block.bytes);
            return numbers;
        }

        Vector2[] Vectors2(Block block)
        {
            float[] all = Floats(block);
            var found = new Vector2[all.Length / 2];
            for (int i = 0; i < found.Length; ++i)
                found[i] = new Vector2(all[2 * i], all[2 * i + 1]);
            return found;
        }

        Vector3[] Vectors3(Block block)
        {
            float[] all = Floats(block);
            var found = new Vector3[all.Length / 3];
            for (int i = 0; i < found.Length; ++i)
                found[i] = new Vector3(all[3 * i], all[3 * i + 1], all[3 * i + 2]);
            return found;
        }

        Vector4[] Vectors4(Block block)
        {
            float[] all = Floats(block);
            var found = new Vector4[all.Length / 4];
            for (int i = 0; i < found.Length; ++i)
                found[i] = new Vector4(all[4 * i], all[4 * i + 1], all[4 * i + 2], all[4 * i + 3]);
            return found;
        }
    }
}
