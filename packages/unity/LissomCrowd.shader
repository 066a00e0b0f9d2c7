// SPDX-License-Identifier: MIT
// A look of a baked character: base colour, picture, light of its own; lit by the main light and what surrounds it.
// The first subshader is for the Universal Render Pipeline, the second for the Built-in one.
Shader "Lissom/Crowd"
{
    Properties
    {
        _BaseColor("Base colour", Color) = (1, 1, 1, 1)
        [MainTexture] _BaseMap("Picture", 2D) = "white" {}
        _Emission("Light of its own, linear", Vector) = (0, 0, 0, 0)
        _EmissionMap("Picture of its light", 2D) = "white" {}
        _Cutoff("Alpha below which nothing is drawn", Range(0, 1)) = 0
        [Toggle] _Unlit("Unlit", Float) = 0
        [Enum(UnityEngine.Rendering.CullMode)] _Cull("Cull", Float) = 2
        [HideInInspector] _SrcBlend("Source blend", Float) = 1
        [HideInInspector] _DstBlend("Destination blend", Float) = 0
        [HideInInspector] _ZWrite("Depth", Float) = 1
    }

    SubShader
    {
        PackageRequirements { "com.unity.render-pipelines.universal": "12.0" }
        Tags { "RenderPipeline" = "UniversalPipeline" "RenderType" = "Opaque" }
        Cull [_Cull]

        HLSLINCLUDE
        #pragma target 4.5
        #pragma multi_compile_instancing
        #pragma instancing_options assumeuniformscaling nolightprobe nolightmap
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Core.hlsl"
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Lighting.hlsl"
        #include "LissomPose.hlsl"

        TEXTURE2D(_BaseMap);
        SAMPLER(sampler_BaseMap);
        TEXTURE2D(_EmissionMap);
        SAMPLER(sampler_EmissionMap);
        CBUFFER_START(UnityPerMaterial)
        float4 _BaseMap_ST;
        float4 _BaseColor;
        float4 _Emission;
        float _Cutoff;
        float _Unlit;
        float _Cull;
        CBUFFER_END
        float3 _LightDirection;

        struct Attributes
        {
            float4 position : POSITION;
            float3 normal : NORMAL;
            float4 color : COLOR;
            float2 uv : TEXCOORD0;
            float4 rows : TEXCOORD1;
            float4 weights : TEXCOORD2;
            float4 more : TEXCOORD3;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        struct Varyings
        {
            float4 position : SV_POSITION;
            float3 world : TEXCOORD0;
            float3 normal : TEXCOORD1;
            float2 uv : TEXCOORD2;
            float4 color : COLOR;
            UNITY_VERTEX_OUTPUT_STEREO
        };

        Varyings Posed(Attributes input)
        {
            Varyings output = (Varyings)0;
            UNITY_SETUP_INSTANCE_ID(input);
            UNITY_INITIALIZE_VERTEX_OUTPUT_STEREO(output);
            float number = 0.0;
        #if UNITY_ANY_INSTANCING_ENABLED
            number = unity_InstanceID;
        #endif
            float3 position, normal;
            LissomPose_float(number, input.position.xyz, input.normal, input.rows, input.weights, input.more,
                             position, normal);
            output.world = TransformObjectToWorld(position);
            output.normal = TransformObjectToWorldNormal(normal);
            output.position = TransformWorldToHClip(output.world);
            output.uv = TRANSFORM_TEX(input.uv, _BaseMap);
            output.color = input.color;
            return output;
        }

        float4 BaseOf(Varyings input)
        {
            float4 base = _BaseColor * SAMPLE_TEXTURE2D(_BaseMap, sampler_BaseMap, input.uv) * input.color;
            clip(base.a - _Cutoff);
            return base;
        }
        ENDHLSL

        Pass
        {
            Name "Forward"
            Tags { "LightMode" = "UniversalForward" }
            Blend [_SrcBlend] [_DstBlend]
            ZWrite [_ZWrite]

            HLSLPROGRAM
            #pragma vertex Posed
            #pragma fragment Lit
            #pragma multi_compile _ _MAIN_LIGHT_SHADOWS _MAIN_LIGHT_SHADOWS_CASCADE
            #pragma multi_compile_fragment _ _SHADOWS_SOFT

            float4 Lit(Varyings input, float facing : VFACE) : SV_Target
            {
                float4 base = BaseOf(input);
                if (_Unlit > 0.5)
                    return base;
                float3 normal = normalize(input.normal) * (facing < 0.0 ? -1.0 : 1.0);
                Light light = GetMainLight(TransformWorldToShadowCoord(input.world));
                float3 lit = SampleSH(normal);
                lit += light.color * (light.shadowAttenuation * saturate(dot(normal, light.direction)));
                float3 own = _Emission.rgb * SAMPLE_TEXTURE2D(_EmissionMap, sampler_EmissionMap, input.uv).rgb;
                return float4(base.rgb * lit + own, base.a);
            }
            ENDHLSL
        }

        Pass
        {
            Name "ShadowCaster"
            Tags { "LightMode" = "ShadowCaster" }
            ColorMask 0

            HLSLPROGRAM
            #pragma vertex Shadow
            #pragma fragment Nothing
            #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Shadows.hlsl"

            Varyings Shadow(Attributes input)
            {
                Varyings output = Posed(input);
                output.position = TransformWorldToHClip(ApplyShadowBias(output.world, output.normal, _LightDirection));
            #if UNITY_REVERSED_Z
                output.position.z = min(output.position.z, output.position.w * UNITY_NEAR_CLIP_VALUE);
            #else
                output.position.z = max(output.position.z, output.position.w * UNITY_NEAR_CLIP_VALUE);
            #endif
                return output;
            }

            float4 Nothing(Varyings input) : SV_Target
            {
                BaseOf(input);
                return 0.0;
            }
            ENDHLSL
        }

        Pass
        {
            Name "DepthOnly"
            Tags { "LightMode" = "DepthOnly" }
            ColorMask R

            HLSLPROGRAM
            #pragma vertex Posed
            #pragma fragment Depth

            float4 Depth(Varyings input) : SV_Target
            {
                BaseOf(input);
                return input.position.z;
            }
            ENDHLSL
        }
    }

    SubShader
    {
        Tags { "RenderType" = "Opaque" }
        Cull [_Cull]

        CGINCLUDE
        #pragma target 4.5
        #pragma multi_compile_instancing
        #pragma instancing_options assumeuniformscaling nolightprobe nolightmap
        #include "UnityCG.cginc"
        #include "LissomPose.hlsl"

        sampler2D _BaseMap;
        sampler2D _EmissionMap;
        float4 _BaseMap_ST;
        float4 _BaseColor;
        float4 _Emission;
        float _Cutoff;
        float _Unlit;

        struct Attributes
        {
            float4 vertex : POSITION;
            float3 normal : NORMAL;
            float4 color : COLOR;
            float2 uv : TEXCOORD0;
            float4 rows : TEXCOORD1;
            float4 weights : TEXCOORD2;
            float4 more : TEXCOORD3;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        // Position and normal become those of the moment.
        void Pose(inout Attributes input)
        {
            float number = 0.0;
        #if UNITY_ANY_INSTANCING_ENABLED
            number = unity_InstanceID;
        #endif
            float3 position, normal;
            LissomPose_float(number, input.vertex.xyz, input.normal, input.rows, input.weights, input.more,
                             position, normal);
            input.vertex = float4(position, 1.0);
            input.normal = normal;
        }

        float4 BaseOf(float2 uv, float4 color)
        {
            float4 base = _BaseColor * tex2D(_BaseMap, uv) * color;
            clip(base.a - _Cutoff);
            return base;
        }
        ENDCG

        Pass
        {
            Tags { "LightMode" = "ForwardBase" }
            Blend [_SrcBlend] [_DstBlend]
            ZWrite [_ZWrite]

            CGPROGRAM
            #pragma vertex Posed
            #pragma fragment Lit
            #pragma multi_compile_fwdbase
            #include "Lighting.cginc"
            #include "AutoLight.cginc"

            struct Varyings
            {
                float4 pos : SV_POSITION;
                float3 world : TEXCOORD0;
                float3 normal : TEXCOORD1;
                float2 uv : TEXCOORD2;
                UNITY_SHADOW_COORDS(3)
                float4 color : COLOR;
                UNITY_VERTEX_OUTPUT_STEREO
            };

            Varyings Posed(Attributes v)
            {
                Varyings o;
                UNITY_INITIALIZE_OUTPUT(Varyings, o);
                UNITY_SETUP_INSTANCE_ID(v);
                UNITY_INITIALIZE_VERTEX_OUTPUT_STEREO(o);
                Pose(v);
                o.pos = UnityObjectToClipPos(v.vertex);
                o.world = mul(unity_ObjectToWorld, v.vertex).xyz;
                o.normal = UnityObjectToWorldNormal(v.normal);
                o.uv = TRANSFORM_TEX(v.uv, _BaseMap);
                o.color = v.color;
                UNITY_TRANSFER_SHADOW(o, float2(0.0, 0.0));
                return o;
            }

            float4 Lit(Varyings i, float facing : VFACE) : SV_Target
            {
                float4 base = BaseOf(i.uv, i.color);
                if (_Unlit > 0.5)
                    return base;
                float3 normal = normalize(i.normal) * (facing < 0.0 ? -1.0 : 1.0);
                UNITY_LIGHT_ATTENUATION(attenuation, i, i.world);
                float3 lit = ShadeSH9(float4(normal, 1.0));
                lit += _LightColor0.rgb * (attenuation * saturate(dot(normal, UnityWorldSpaceLightDir(i.world))));
                return float4(base.rgb * lit + _Emission.rgb * tex2D(_EmissionMap, i.uv).rgb, base.a);
            }
            ENDCG
        }

        Pass
        {
            Tags { "LightMode" = "ShadowCaster" }

            CGPROGRAM
            #pragma vertex Posed
            #pragma fragment Depth
            #pragma multi_compile_shadowcaster

            struct Varyings
            {
                V2F_SHADOW_CASTER;
                float2 uv : TEXCOORD1;
                float4 color : COLOR;
                UNITY_VERTEX_OUTPUT_STEREO
            };

            Varyings Posed(Attributes v)
            {
                Varyings o;
                UNITY_INITIALIZE_OUTPUT(Varyings, o);
                UNITY_SETUP_INSTANCE_ID(v);
                UNITY_INITIALIZE_VERTEX_OUTPUT_STEREO(o);
                Pose(v);
                TRANSFER_SHADOW_CASTER_NORMALOFFSET(o)
                o.uv = TRANSFORM_TEX(v.uv, _BaseMap);
                o.color = v.color;
                return o;
            }

            float4 Depth(Varyings i) : SV_Target
            {
                BaseOf(i.uv, i.color);
                SHADOW_CASTER_FRAGMENT(i)
            }
            ENDCG
        }
    }
}
