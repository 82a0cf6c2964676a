#include "runner/analysis/family_rules.h"

#include <array>

namespace perfgate::analysis {
namespace {

using enum RuleField;
using std::string_view_literals::operator""sv;

constexpr std::array kFamilies{
    "gemm"sv,        "moe"sv,   "attention"sv, "norm"sv,     "rope_kv"sv,
    "activation"sv,  "quant"sv, "comm"sv,      "sampling"sv, "elementwise_copy"sv,
    "embedding"sv,   "conv"sv,  "optimizer"sv, "memcpy"sv,   "memset"sv,
    "unclassified"sv};

// Order matters: wrappers whose name says little come first, then fused and helper kernels, the
// broad words last.
constexpr std::
    array
        kRules{
            // Copies named by importers.
            FamilyRule{"memcpy", "memcpy", symbol, R"(^(Memcpy |\[CUDA memcpy))",
                       "Memcpy DtoH (Device -> Pageable)", "memcpy32_post"},
            FamilyRule{"memset", "memset", symbol, R"(^(Memset |\[CUDA memset))", "Memset (Device)",
                       "_combined_routing_memset"},

            // Communication, with the custom all-reduces that bear no "nccl".
            FamilyRule{"comm", "comm", symbol, R"(^(nccl(Dev)?Kernel|ncclSymk|mscclKernel))",
                       "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                       "ncclosure_kernel"},
            FamilyRule{"comm", "comm", symbol, R"(^(deep_ep|pplx|nvshmem\w*)::|^nvshmem)",
                       "deep_ep::internode_ll::dispatch<...",
                       "void cutlass::device_kernel<flash::FlashAttnFwdCombine<..."},
            FamilyRule{
                "comm", "comm", symbol,
                R"((^|[_:])(cross_device_reduce|all_?reduce|all_?gather|reduce_scatter|all_?to_?all)([_:]|$|[A-Z]|kernel))",
                "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, "
                "vllm::RankSignals, vllm...",
                "void at::native::reduce_kernel<128, 4>(int)"},
            FamilyRule{"comm", "comm", symbol,
                       R"((one|two)ShotAllReduce|AllReduceNormKernel|userbuffers_)",
                       "void tensorrt_llm::kernels::oneShotAllReduceKernel<float, 8>(int)",
                       "void oneShotKernel<float>(int)"},

            // Inductor: the list of fused operations is in the name; the kind (poi, red, per, tem)
            // says what it is.
            FamilyRule{"attention", "attention", symbol, R"(^triton_tem_fused_\w*flex_attention)",
                       "triton_tem_fused_flex_attention_2",
                       "triton_poi_fused__scaled_dot_product_cudnn_attention_where_0"},
            FamilyRule{"conv", "conv", symbol, R"(^triton_tem_fused_\w*convolution)",
                       "triton_tem_fused_convolution_4", "triton_poi_fused_convolution_4"},
            FamilyRule{"gemm", "gemm", symbol,
                       R"(^triton_(tem_fused_(\w*_)?(add|b|scaled_)?mm|mm)(_|$))",
                       "triton_tem_fused_addmm_relu_5",
                       "triton_poi_fused__to_copy__unsafe_view_add_clone_mean_mm_mul_pow_rsqrt_"
                       "silu_t_view_1"},
            FamilyRule{
                "norm", "norm", symbol,
                R"(^triton_(red|per)_fused_(\w*_)?(rms_norm|layer_norm|group_norm|batch_norm|mean_\w*pow_\w*rsqrt|rsqrt_\w*var_mean|var_mean))",
                "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_2", "triton_red_fused_moe_sum_3"},
            FamilyRule{"sampling", "softmax", symbol, R"(^triton_(red|per)_fused_(\w*_)?softmax)",
                       "triton_per_fused__softmax_1", "triton_poi_fused__softmax_backward_data_1"},
            FamilyRule{"sampling", "sampling", symbol,
                       R"(^triton_(red|per)_fused_(\w*_)?(argmax|topk|multinomial)(_|$))",
                       "triton_red_fused_argmax_0", "triton_red_fused_amax_0"},
            FamilyRule{"embedding", "embedding", symbol,
                       R"(^triton_(poi|red|per)_fused_(\w*_)?embedding(_|$))",
                       "triton_poi_fused_embedding_0", "triton_poi_fused_cat_0"},
            FamilyRule{
                "rope_kv", "rope", symbol,
                R"(^triton_poi_fused_(\w*_)?(cat_\w*(neg|slice|split)\w*_sub|cat_\w*cos|cos_\w*sin|rotary)(_|$))",
                "triton_poi_fused__to_copy_add_cat_clone_mul_rms_norm_slice_split_split_with_sizes_"
                "sub_unsqueeze_view_8",
                "triton_poi_fused_clone_copy_index_select_slice_split_7"},
            FamilyRule{
                "activation", "activation", symbol,
                R"(^triton_(poi|red|per)_fused_(\w*_)?(silu|gelu|relu|sigmoid|swiglu|softplus|tanh)(_|$))",
                "triton_poi_fused_mul_silu_slice_3", "triton_poi_fused__to_copy_1"},
            FamilyRule{"norm", "norm", symbol,
                       R"(^triton_poi_fused_(\w*_)?(rms_norm|layer_norm|group_norm|batch_norm))",
                       "triton_poi_fused_add_native_layer_norm_2",
                       "triton_poi_fused_normal_functional_0"},
            FamilyRule{
                "elementwise_copy", "copy", symbol,
                R"(^triton_poi_fused_(_?(to_copy|clone|copy|cat|stack|slice|split|view|index_select|select|transpose|permute|unsqueeze|unsafe_view)(_|$))+$)",
                "triton_poi_fused_clone_copy_index_select_slice_split_7",
                "triton_poi_fused_add_clone_0"},
            FamilyRule{"elementwise_copy", "elementwise", symbol, R"(^triton_poi_fused_)",
                       "triton_poi_fused_constant_pad_nd_moe_forward_0", "triton__0d1d2d3d"},
            FamilyRule{"elementwise_copy", "reduce", symbol, R"(^triton_(red|per)_fused_)",
                       "triton_red_fused_sum_3", "triton_poi_fused_sum_3"},

            // Linear attention and state space models.
            FamilyRule{"attention", "linear_attn", text, R"(^cutlass::device_kernel<flat::)",
                       "void "
                       "cutlass::device_kernel<flat::kernel::FlatKernelTmaWarpSpecializedDeltaRule<"
                       "int>>(int)",
                       "void cutlass::device_kernel<flash::FlashAttnFwdSm90<int>>(int)"},
            FamilyRule{
                "attention", "linear_attn", symbol,
                R"((^|[_:])(selective_scan|selective_state_update|causal_conv1d|gated_delta_rule|delta_rule|lightning_attn|linear_attn|chunk_local_cumsum|chunk_scaled_dot_kkt|recompute_w_u|chunk_scan|chunk_state|state_passing|wkv\d*)(_|$|Kernel))",
                "_causal_conv1d_fwd_kernel", "void conv1d_kernel<float>(int)"},

            // KV cache and rotary embedding. Cache writes may have "flash" or "norm" in their name.
            FamilyRule{
                "rope_kv", "kv_cache", symbol,
                R"((^|[_:])(reshape_and_cache|concat_and_cache|gather_cache|gather_and_maybe_dequant_cache|cp_gather|copy_blocks_kernel|swap_blocks|append_paged_kv|append_kv|kv_append|rope_append|rotate_append|kv_cache_append|set_kv_buffer|store_kv_?cache|write_kv|dequant_gather_k|indexer_k_quant_and_cache)([_:]|$|[a-z]))",
                "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(int)",
                "void cache_line_flush_kernel(int)"},
            FamilyRule{
                "rope_kv", "kv_cache", symbol,
                R"(AppendPagedKV|QuantInsertKernel|KVCacheInsert|applyBiasRopeUpdateKVCache)",
                "void "
                "vllm::deepseek_v4_fused_ops::"
                "fusedDeepseekV4QNormRopeKVRopeQuantInsertKernelReducedGrid<int, 64>(int)",
                "void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>(int)"},
            FamilyRule{
                "rope_kv", "rope", symbol,
                R"((^|[_:])(rotary|rope|mrope|fused_rope)(_|$)|(^|[_:])\w*rotary_embedding|ApplyRotary|RotaryPos|RoPE(Kernel|Pos))",
                "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)",
                "tightrope_kernel"},

            // Attention helpers, then attention.
            // cuDNN's attention: its backward pass, and the reduction of parts of a split sequence.
            FamilyRule{"attention", "attention_aux", symbol,
                       R"(^cudnn::fusion::(compute_dot_do_o|convert_dq_to|lean_reduction_kernel$))",
                       "void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(int)",
                       "void cudnn::fusion::pointwise_kernel<float>(int)"},
            FamilyRule{
                "attention", "attention_aux", text,
                R"(FlashAttn\w*Combine|(^|[_:])(flash_fwd_splitkv_(mla_)?combine|flash_\w*combine|prepare_varlen_num_blocks|paged_attention_v2_reduce|finish_materialized_scores|get_mla_metadata)|^reduce_segments$|(^|[_:])(attention|attn)_(\w*_)?(combine|reduce|merge)|merge_attn_states|MergeStates|_fwd_kernel_stage2$|mqa_logits|fmhaReduction)",
                "void cutlass::device_kernel<flash::FlashAttnFwdCombine<...",
                "deep_ep::internode_ll::combine<..."},
            FamilyRule{
                "attention", "attention_aux", symbol,
                R"(^flash_bwd_(dot_do_o|convert_dq|convert_dkv)|(^|:)flash::(get_|prepare_))",
                "void flash_bwd_dot_do_o_kernel<float>(int)", "flashback_kernel"},
            FamilyRule{
                "attention", "attention", text,
                R"(^cutlass::device_kernel<(\w+::)*(flash|fmha|FlashAttn|mla|Sm\d+Fmha)\w*)",
                "void "
                "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
                "CollectiveMa...",
                "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int>>(int)"},
            FamilyRule{
                "attention", "attention", symbol,
                R"((^|[_:])(flash|kernel_cutlass_kernel_\w*?flash)_(fwd|bwd|attn|attention|mla|decode|prefill)|FlashAttention(Forward|Backward|Decode)|(^|[_:])fmha([_A-Z]|Sm\d)|_sdpa_|(^|[_:])sdpa_)",
                "fmhaSm100aKernel_"
                "QkvE4m3OBfloat16H64PagedKvSlidingOrChunkedCausalP16VarSeqQ128Kv128PersistentContex"
                "t",
                "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(..."},
            FamilyRule{
                "attention", "attention", symbol,
                R"((Batch|Single)(Decode|Prefill)With\w*(KVCache|KV)|(^|[_:])\w*(paged|unified|decode|prefill|ragged|sparse|context|multihead|masked_multihead|grouped_query|mla|gqa|mqa|self|cross|causal|efficient)_(attention|attn)(_|$|[A-Z])|(^|_)attn_(fwd|bwd)|(^|[_:])attention_(fwd|bwd|forward|backward|decode|prefill|kernel)|_fwd_(grouped_)?kernel_stage1|(^|[_:])mha_(fwd|bwd)|(^|[_:])flash_attn_ext)",
                "void "
                "flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, "
                "Params>(T9)",
                "void inattention_kernel(int)"},

            // Mixture of experts: routing before matmuls, both before the broad words.
            FamilyRule{
                "moe", "moe_routing", symbol,
                R"(^moe::dev::(routing|finalize|permute|activation)|(^|[_:])(moe_(sum|align|permute|unpermute|fused_gate|lora_align)|topk_?[gG]ating|topk_softmax|topk_sigmoid|grouped_topk|topk_forward|topk_backward|sum_bitmatrix_rows|combined_routing|routing_compute|expt_data|count_and_sort_expert|compute_expert|finalize_moe)|topkGating|routingIndices|expandInputRows|finalizeMoeRouting|fusedBuildExpertMaps)",
                "void "
                "moe::dev::routing::routingRenormalize::routingIndicesHistogramScoresKernel<int>("
                "int)",
                "moe_szyslak_kernel"},
            FamilyRule{
                "moe", "moe_gemm", text,
                R"(^deep_gemm::.*GemmType\)[1-9]|(^|[_:])(fused_moe_kernel|marlin_moe|moe_gemm|moe_mm|grouped_gemm|group_gemm|matmul_ogs)|^bmm_[A-Z]\w*_(dynBatch|[a-z]\w*dynBatch)|GroupProblemShape|GemmGrouped|MoeFCGemm|moe_wna16)",
                "_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu",
                "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, (deep_gemm::GemmType)0, int>(float*)"},

            // Matmul helpers.
            FamilyRule{
                "gemm", "gemm_aux", text,
                R"((^|[_:])(splitKreduce_kernel|splitk_reduce|split_k_reduce|reduce_split_?k)|^epilogue::impl::globalKernel|ReduceSplitK|^cublasLt::\w*(reduce|epilogue))",
                "void splitKreduce_kernel<float, float, float, float, true, false, "
                "false>(cublasSplitKParams<float>)",
                "void reduce_kernel<float>(int)"},
            FamilyRule{
                "gemm", "gemv", text,
                R"(^internal::gemvx::|^gemmk1_kernel<|(^|[_:])gemv(\d|N|T|_|$|k1_)|^(dot_kernel|reduce_1Block_kernel)<.*[cC]ublas|(^|[_:])mul_mat_vec)",
                "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, ...>",
                "void dot_kernel<float, 128>(float)"},

            // Norms of cuDNN before its convolutions; convolutions before gemm (implicit GEMM).
            FamilyRule{
                "norm", "norm", symbol, R"(^cudnn::(bn_|\w*norm)|batch_norm_)",
                "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>(int)",
                "void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(int)"},
            FamilyRule{"elementwise_copy", "layout", symbol,
                       R"(nchwToNhwc|nhwcToNchw|(^|[_:])(transpose|permute)_(\w*_)?kernel)",
                       "void cudnn::ops::nchwToNhwcKernel<float>(int)", "transposer_kernel"},
            FamilyRule{
                "conv", "conv", text,
                R"(^cudnn::(cnn|winograd|detail)|[sS]cudnn|^cutlass__5x_cudnn|^cutlass_cudnn|implicit_convolve|explicit_convolve|(^|[_:\d])(xmma_)?(fprop|dgrad|wgrad)_|conv(olution)?[123]d_(fprop|dgrad|wgrad|fwd|forward|kernel)|(^|[_:])conv_depthwise[123]d|winograd)",
                "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_execute_kernel_"
                "cudnn_infer",
                "cudnn_generated_fort_native_norm_kernel"},

            // Matmuls.
            FamilyRule{"gemm", "gemm", symbol, R"(^nvjet_|^deep_gemm::)",
                       "nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN", "nvjetlag_kernel"},
            FamilyRule{
                "gemm", "gemm", text,
                R"(^cutlass::(Kernel2?|device_kernel)<.*(gemm|Gemm)|^cutlass\w*_(tensorop|simt|wmma)\w*gemm|^cutlass(3x)?_\w*gemm|^cutlass_\d+_)",
                "void "
                "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_"
                "align8>(T1::Params)",
                "void cutlass::device_kernel<flat::kernel::DeltaRule<cutlass::bfloat16_t>>(int)"},
            FamilyRule{
                "gemm", "gemm", symbol,
                R"((^|[_:]|_s\d{1,12}|_[a-z]\d{3,12})(s|d|h|c|z|b|i|q|w8a8_|fp8_|bf16_)?gemm([_\d]|$|kernel|Kernel|SN)|Gemm(Kernel|Universal)|(^|[_:])(scaled_mm|block_scaled_mm|matmul|bmm|addmm|mul_mat_q|mul_mat)(_|$|kernel)|_einsum_kernel|quantized_linear|^(marlin::|gptq_marlin::)?Marlin$)",
                "ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn",
                "gemstone_polish_kernel"},
            FamilyRule{"gemm", "gemm", symbol, R"(^kernel_cutlass_\w*(gemm|Gemm))",
                       "kernel_cutlass_kernel_densegemm_sm100_object_at_",
                       "kernel_cutlass_kernel_dequant_k"},

            // Activations: the functor of an elementwise shell decides.
            FamilyRule{
                "activation", "activation", text,
                R"(^at::native::.*elementwise_kernel.*(silu|gelu|sigmoid|tanh|elu|leaky_relu|hardswish|mish|softplus|threshold)_(backward_)?kernel|(Gelu|GELU|Silu|SiLU)\w*(Kernel|Functor))",
                "void at::native::vectorized_elementwise_kernel<4, "
                "at::native::GeluCUDAKernelImpl(int)::{lambda()#2}>(int)",
                "void at::native::vectorized_elementwise_kernel<4, "
                "at::native::FillFunctor<float>>(int)"},
            FamilyRule{
                "activation", "activation", symbol,
                R"((^|[_:])(act_and_mul|silu_and_mul|gelu_and_mul|silu_mul|gelu_mul|swiglu|geglu|silu|gelu|relu|sigmoid|swigluoai_and_mul)(_|$|kernel|Kernel))",
                "perfgate::builtin::silu_mul_kernel(int)", "reluctance_kernel"},

            // Norms. RMSNorm with quantisation inside is norm.
            FamilyRule{
                "norm", "norm", symbol,
                R"((?i)(rms|layer|group|batch|instance)_?norm(alization|alize)?([_\d]|$|kernel|fwd|bwd|forward|backward|quant|rms|gated|twopass|add))",
                "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(...",
                "normal_kernel"},
            FamilyRule{
                "norm", "norm", symbol,
                R"(GammaBetaBackward|RowwiseMomentsCUDA|ComputeFusedParamsCUDA|(^|[_:])(add_norm|qk_norm|l2norm)(_|$))",
                "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, "
                "float>(long)",
                "void gammaburst_kernel(int)"},

            // Quantisation.
            FamilyRule{
                "quant", "quant", symbol,
                R"((^|[_:])(de)?quant(ize|ized)?(_|$|kernel)|(^|[_:])(\w*_)?(fp8|int8|fp4|nvfp4|mxfp8|mxfp4)_(de)?quant|(Des?|Q)uantiz(e|ation)(\w*)Kernel|cvt_fp(16|8)_to_fp(4|8)|per_token_group_quant)",
                "void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16, "
                "int>(int)",
                "quantum_foam_kernel"},

            // Sampling, softmax, sorting.
            FamilyRule{
                "sampling", "sampling", symbol,
                R"(^flashinfer::sampling::|^at::native::(mbtopk|sbtopk)::|radixFindKthValues|(^|[_:])(argmax|topk|top_k|top_p|topp|multinomial|sampling|gumbel_sample|rejection_\w*sample|apply_penalties)(_|$|kernel|Kernel)|sampleMultinomial)",
                "perfgate::builtin::argmax_kernel(int)", "void sampler_gain_stage(int)"},
            FamilyRule{"sampling", "sampling", text,
                       R"(^at::native::reduce_kernel<.*ArgM(ax|in)|LogSoftMax|log_softmax)",
                       "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                       "at::native::ArgMaxOps<float>>>(int)",
                       "void at::native::reduce_kernel<512, 1, at::native::NormTwoOps<int>>(int)"},
            FamilyRule{
                "sampling", "softmax", symbol,
                R"((^|[_:])(online_|masked_|scaled_)*(softmax|soft_max)(_|$|[A-Z]|kernel)|cunn_SoftMax)",
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 3, false, "
                "false>(int)",
                "softmaximum_kernel"},
            FamilyRule{
                "sampling", "sort", symbol,
                R"((^|::)cub::(\w+::)*Device(RadixSort|Scan|CompactInit|MergeSort|SegmentedSort|SegmentedRadixSort|Select|RunLength|UniqueByKey)|bitonicSort|radixSort|^at::native::\w*gatherTopK|(^|[_:])(sort|argsort)(_|$|kernel))",
                "void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, int>>(int)",
                "sortie_kernel"},

            FamilyRule{
                "sampling", "loss", symbol,
                R"(^at::native::(\(anonymous namespace\)::)?nll_loss_(forward|backward)_)",
                "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d"
                "<float, float, long>(float*)",
                "nll_lossless_copy"},

            // Embedding, optimiser.
            FamilyRule{
                "embedding", "embedding_backward", symbol,
                R"(^at::native::(\(anonymous namespace\)::)?(compute_grad_weight|sum_and_scatter|krn_partial_segment_offset|krn_partials_per_segment|compute_num_of_partial_segments)$)",
                "void at::native::(anonymous namespace)::compute_grad_weight<float, long>(long "
                "const*)",
                "void mylib::compute_grad_weight<float>(float*)"},
            FamilyRule{
                "embedding", "embedding", symbol,
                R"(^split_embedding_|(^|[_:])(embed|embedding|get_rows|k_get_rows)(_|$|kernel|[A-Z]))",
                "void split_embedding_codegen_forward_unweighted_kernel<c10::Half, float>(int)",
                "embedded_controller_kernel"},
            FamilyRule{
                "optimizer", "optimizer", text,
                R"(^(at::native::)?(\(anonymous namespace\)::)?multi_tensor_apply_kernel<.*(Adam|SGD|Sgd|Lamb|LAMB|Adagrad|RMSprop|Lion|FusedOptim)|(^|[_:])(fused_)?(adamw?|sgd|lamb|adagrad|lion)_(kernel|step|update)|^kOptimizer)",
                "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, "
                "float>(int)",
                "void multi_tensor_apply_kernel<TensorListMetadata<4>, "
                "BinaryOpScalarFunctor<float>>(int)"},

            // What is left of PyTorch's shells, and our own small kernels.
            FamilyRule{
                "elementwise_copy", "copy", text,
                R"(^at::native::.*(direct_copy_kernel|bfloat16_copy_kernel|float8_copy|CopyFunctor)|CatArrayBatchedCopy|^memcpy32_post$|^at::native::(\(anonymous namespace\)::)?(index_elementwise_kernel|indexSelect\w*|vectorized_gather_kernel|_scatter_gather_elementwise_kernel)|(^|[_:])cpy_(f16|f32|bf16))",
                "void at::native::elementwise_kernel<128, 4, "
                "at::native::direct_copy_kernel_cuda(int)::{lambda()#3}>(int)",
                "copycat_kernel"},
            FamilyRule{
                "elementwise_copy", "reduce", symbol,
                R"(^at::native::reduce_kernel$|(^|::)cub::(\w+::)*Device(FixedSizeSegmented)?Reduce)",
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                "at::native::NormTwoOps<int>>>(int)",
                "reducer_valve_kernel"},
            FamilyRule{
                "elementwise_copy", "elementwise", symbol,
                R"(^(at::native::)?(\(anonymous namespace\)::)?(vectorized_|unrolled_|legacy_)?elementwise_kernel(_with_index)?$|^at::native::(\w+::)*(distribution_\w+|\w*fused_dropout\w*|triu_tril_kernel)$|^(at::native::)?(\(anonymous namespace\)::)?multi_tensor_apply_kernel$|^mhc_[a-z]+_tilelang_kernel$|(^|[_:])k_bin_bcast)",
                "void at::native::vectorized_elementwise_kernel<4, "
                "at::native::FillFunctor<float>>(int)",
                "nonelementwise_kernels"},
            FamilyRule{
                "elementwise_copy", "elementwise", symbol,
                R"(^perfgate::builtin::(\w*_)?(add|residual|scale|fill|init|random|seed)(_|$))",
                "perfgate::builtin::residual_add_kernel(float*)", "paddle_wheel_kernel"},
            FamilyRule{"elementwise_copy", "elementwise", symbol, R"(^cupy_[a-z0-9_]+?__\w+$)",
                       "cupy_add__float32_float32_float32", "cupy_fft_kernel"},
            // XLA names a fused loop after the operation at its root.
            FamilyRule{"elementwise_copy", "elementwise", symbol, R"(^loop_(\w+_)?fusion(_\d+)?$)",
                       "loop_multiply_fusion", "loop_fusion_reactor"},
            // The built-in memory control.
            FamilyRule{"elementwise_copy", "copy", symbol, R"(^stream_(read|write|copy)$)",
                       "stream_read", "stream_compaction_kernel"},
            FamilyRule{"elementwise_copy", "copy", symbol,
                       R"(^perfgate::builtin::(\w*_)?(stream|read|write|copy)(_|$))",
                       "perfgate::builtin::read_stream_kernel(float*)", "streamliner_kernel"},
        };

}  // namespace

std::span<const FamilyRule> family_rules() { return kRules; }
std::span<const std::string_view> family_names() { return kFamilies; }

}  // namespace perfgate::analysis
