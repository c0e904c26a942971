# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the folders beside it: tiny random checkpoints with options that the golden models do not have, and the logits
# that transformers 5.23.0 (torch 2.11, CPU, fp32, eager attention, no cache) computes for them.
# Run: python3 make.py FOLDER [NAME...]
import math, os, sys
import torch
torch.set_num_threads(1)
from transformers import BambaConfig,BambaForCausalLM,FalconH1Config,FalconH1ForCausalLM,FalconMambaConfig,FalconMambaForCausalLM,GPT2Config,GPT2LMHeadModel,GPTNeoXConfig,GPTNeoXForCausalLM,Gemma2Config,Gemma2ForCausalLM,GraniteMoeHybridConfig,GraniteMoeHybridForCausalLM,JambaConfig,JambaForCausalLM,LlamaConfig,LlamaForCausalLM,Mamba2Config,Mamba2ForCausalLM,MambaConfig,MambaForCausalLM,MistralConfig,MistralForCausalLM,PhiConfig,PhiForCausalLM,Qwen2Config,Qwen2ForCausalLM,Qwen3Config,Qwen3ForCausalLM,Qwen3NextConfig,Qwen3NextForCausalLM,Zamba2Config,Zamba2ForCausalLM
from safetensors.torch import save_file
OUT = sys.argv[1] + '/'
only = sys.argv[2:]
base=dict(vocab_size=64,hidden_size=32,intermediate_size=48,num_hidden_layers=3,num_attention_heads=4,num_key_value_heads=2,max_position_embeddings=64)
V={
 'llama_bias_headdim':(LlamaForCausalLM,LlamaConfig,dict(base,attention_bias=True,mlp_bias=True,head_dim=10,hidden_act='gelu',rms_norm_eps=1e-4)),
 'llama_linear':(LlamaForCausalLM,LlamaConfig,dict(base,rope_parameters={'rope_type':'linear','factor':3.0,'rope_theta':5000.0},num_key_value_heads=1)),
 'llama_dynamic':(LlamaForCausalLM,LlamaConfig,dict(base,rope_parameters={'rope_type':'dynamic','factor':2.0,'rope_theta':10000.0},max_position_embeddings=12)),
 'llama_yarn':(LlamaForCausalLM,LlamaConfig,dict(base,rope_parameters={'rope_type':'yarn','factor':4.0,'rope_theta':10000.0,'original_max_position_embeddings':16},tie_word_embeddings=True)),
 'mistral_nowindow':(MistralForCausalLM,MistralConfig,dict(base,sliding_window=None,head_dim=6)),
 'qwen2_window':(Qwen2ForCausalLM,Qwen2Config,dict(base,use_sliding_window=True,sliding_window=6,max_window_layers=1,num_key_value_heads=4)),
 'qwen2_yarn':(Qwen2ForCausalLM,Qwen2Config,dict(base,rope_parameters={'rope_type':'yarn','factor':8.0,'rope_theta':100.0,'original_max_position_embeddings':16,'beta_fast':16,'truncate':False,'mscale':1.0,'mscale_all_dim':0.8})),
 'qwen3_bias_window':(Qwen3ForCausalLM,Qwen3Config,dict(base,use_sliding_window=True,sliding_window=5,max_window_layers=2,attention_bias=True,head_dim=8,tie_word_embeddings=True)),
 'gpt2_options':(GPT2LMHeadModel,GPT2Config,dict(vocab_size=64,n_positions=32,n_embd=24,n_layer=3,n_head=3,n_inner=40,scale_attn_by_inverse_layer_idx=True,reorder_and_upcast_attn=True,activation_function='relu')),
 'gpt2_untied':(GPT2LMHeadModel,GPT2Config,dict(vocab_size=64,n_positions=32,n_embd=24,n_layer=2,n_head=4,scale_attn_weights=False,tie_word_embeddings=False)),
 'gptneox_sequential':(GPTNeoXForCausalLM,GPTNeoXConfig,dict(vocab_size=64,hidden_size=32,num_hidden_layers=3,num_attention_heads=4,intermediate_size=40,use_parallel_residual=False,attention_bias=False,rotary_pct=1.0,max_position_embeddings=64)),
 'gptneox_odd':(GPTNeoXForCausalLM,GPTNeoXConfig,dict(vocab_size=64,hidden_size=48,num_hidden_layers=2,num_attention_heads=4,intermediate_size=40,rotary_pct=0.25,tie_word_embeddings=True,max_position_embeddings=64,hidden_act='gelu_new')),
 'phi_qknorm':(PhiForCausalLM,PhiConfig,dict(vocab_size=64,hidden_size=32,intermediate_size=40,num_hidden_layers=2,num_attention_heads=4,num_key_value_heads=2,qk_layernorm=True,partial_rotary_factor=0.75,max_position_embeddings=64)),
 'gemma2_nocaps':(Gemma2ForCausalLM,Gemma2Config,dict(base,head_dim=8,attn_logit_softcapping=None,final_logit_softcapping=None,query_pre_attn_scalar=6,sliding_window=5,attention_bias=True)),
 'mamba_options':(MambaForCausalLM,MambaConfig,dict(vocab_size=64,hidden_size=24,state_size=6,num_hidden_layers=3,use_bias=True,use_conv_bias=False,conv_kernel=3,residual_in_fp32=False,tie_word_embeddings=False)),
 'falcon_mamba_options':(FalconMambaForCausalLM,FalconMambaConfig,dict(vocab_size=64,hidden_size=24,state_size=6,num_hidden_layers=2,use_bias=True,mixer_rms_eps=1e-3,expand=2,tie_word_embeddings=True)),
 'mamba2_options':(Mamba2ForCausalLM,Mamba2Config,dict(vocab_size=64,hidden_size=24,state_size=6,num_hidden_layers=3,num_heads=4,head_dim=12,n_groups=1,use_bias=True,conv_kernel=2,chunk_size=7,time_step_limit=(0.05,0.4),tie_word_embeddings=True,rms_norm=False)),
 'mamba2_groups3':(Mamba2ForCausalLM,Mamba2Config,dict(vocab_size=64,hidden_size=24,state_size=5,num_hidden_layers=2,num_heads=6,head_dim=8,n_groups=3,use_conv_bias=False,chunk_size=256,residual_in_fp32=False)),
 'zamba2_plain':(Zamba2ForCausalLM,Zamba2Config,dict(vocab_size=64,hidden_size=24,num_hidden_layers=6,layers_block_type=['hybrid','mamba','hybrid','mamba','mamba','hybrid'],mamba_d_state=6,mamba_d_conv=3,mamba_expand=2,mamba_ngroups=1,n_mamba_heads=4,num_attention_heads=3,num_key_value_heads=3,intermediate_size=20,num_mem_blocks=1,adapter_rank=3,use_shared_attention_adapter=False,use_mem_rope=False,chunk_size=9,max_position_embeddings=64,time_step_min=1e-9,hidden_act='gelu')),
 'zamba2_3blocks':(Zamba2ForCausalLM,Zamba2Config,dict(vocab_size=64,hidden_size=24,num_hidden_layers=7,layers_block_type=['mamba','hybrid','hybrid','mamba','hybrid','hybrid','hybrid'],mamba_d_state=6,mamba_d_conv=4,mamba_expand=2,mamba_ngroups=3,n_mamba_heads=6,num_attention_heads=4,num_key_value_heads=4,intermediate_size=20,num_mem_blocks=3,adapter_rank=3,use_shared_attention_adapter=True,use_mem_rope=True,chunk_size=7,max_position_embeddings=64,time_step_min=1e-9)),
 # transformers clamps the step size from below by time_step_min, the kernels of the paper did not: ours does with its own key
 'zamba2_dt_floor':(Zamba2ForCausalLM,Zamba2Config,dict(vocab_size=64,hidden_size=24,num_hidden_layers=3,layers_block_type=['mamba','hybrid','mamba'],mamba_d_state=6,mamba_d_conv=4,mamba_expand=2,mamba_ngroups=2,n_mamba_heads=4,num_attention_heads=2,num_key_value_heads=2,intermediate_size=20,num_mem_blocks=1,adapter_rank=3,use_mem_rope=False,chunk_size=7,max_position_embeddings=64,time_step_min=0.3,zamba2_dt_min=0.3)),
 'bamba_groups1':(BambaForCausalLM,BambaConfig,dict(base,attn_layer_indices=[0,2],mamba_n_heads=4,mamba_d_head=16,mamba_n_groups=1,mamba_d_state=6,mamba_chunk_size=7,attention_bias=True,mlp_bias=True,tie_word_embeddings=True,mamba_proj_bias=True)),
 'bamba_rotary':(BambaForCausalLM,BambaConfig,dict(base,attn_layer_indices=[1],mamba_n_heads=4,mamba_d_head=16,mamba_n_groups=2,mamba_d_state=6,mamba_chunk_size=7,rope_parameters={'rope_type':'default','rope_theta':10000.0,'partial_rotary_factor':0.75})),
 'jamba_options':(JambaForCausalLM,JambaConfig,dict(base,num_experts=1,num_experts_per_tok=1,attn_layer_period=2,attn_layer_offset=0,mamba_d_state=6,mamba_d_conv=3,mamba_expand=2,use_mamba_kernels=False,mamba_proj_bias=True,tie_word_embeddings=True,pad_token_id=0)),
 'granite_rope':(GraniteMoeHybridForCausalLM,GraniteMoeHybridConfig,dict(base,layer_types=['attention','mamba','mamba'],num_local_experts=0,num_experts_per_tok=0,shared_intermediate_size=40,position_embedding_type='rope',embedding_multiplier=2.0,attention_multiplier=0.2,residual_multiplier=0.5,logits_scaling=2.0,mamba_n_heads=4,mamba_d_head=16,mamba_n_groups=2,mamba_d_state=6,mamba_chunk_size=7,tie_word_embeddings=True)),
 'falcon_h1_norm':(FalconH1ForCausalLM,FalconH1Config,dict(base,mamba_d_ssm=48,mamba_n_heads=6,mamba_d_head=8,mamba_n_groups=2,mamba_d_state=6,mamba_chunk_size=7,mamba_rms_norm=True,mamba_norm_before_gate=False,attention_bias=True,mlp_bias=True,tie_word_embeddings=True)),
 'falcon_h1_normfirst':(FalconH1ForCausalLM,FalconH1Config,dict(base,mamba_d_ssm=48,mamba_n_heads=6,mamba_d_head=8,mamba_n_groups=2,mamba_d_state=6,mamba_chunk_size=7,mamba_rms_norm=True,mamba_norm_before_gate=True,projectors_bias=True,mamba_proj_bias=True,tie_word_embeddings=False)),
 'falcon_h1_projectors':(FalconH1ForCausalLM,FalconH1Config,dict(base,mamba_d_ssm=48,mamba_n_heads=6,mamba_d_head=8,mamba_n_groups=2,mamba_d_state=6,mamba_chunk_size=7,mamba_rms_norm=True,mamba_norm_before_gate=False,projectors_bias=True,mamba_proj_bias=False,ssm_multipliers=[0.5,1.3,0.8,1.2,0.7],key_multiplier=0.6)),
 'qwen3_next_options':(Qwen3NextForCausalLM,Qwen3NextConfig,dict(base,head_dim=8,partial_rotary_factor=0.25,full_attention_interval=3,linear_conv_kernel_dim=3,linear_key_head_dim=6,linear_value_head_dim=8,linear_num_key_heads=2,linear_num_value_heads=2,num_experts=0,mlp_only_layers=[0,1,2],attention_bias=True,tie_word_embeddings=True)),
}
def init(m,gemma):
    NAME=type(m).__name__.lower()
    g=torch.Generator().manual_seed(5)
    R=lambda p:torch.randn(p.shape,generator=g)
    for n,p in m.named_parameters():
        with torch.no_grad():
            if n.endswith('A_log'): p.copy_(torch.log(0.3+2.5*torch.rand(p.shape,generator=g)))
            elif n.endswith('dt_bias') or n.endswith('dt_proj.bias'): p.copy_(R(p)-1.0)
            elif n.endswith('.D'): p.copy_(R(p))
            elif p.dim()>=2:
                fan=p.shape[-1] if 'c_' not in n else p.shape[0]
                if 'embed' in n or 'wte' in n or 'wpe' in n: p.copy_(R(p))
                else: p.copy_(R(p)*(0.8 if 'zamba2' in NAME else 1.3)/math.sqrt(fan if 'conv1d' not in n else p.shape[-1]))
            elif n.endswith('bias'): p.copy_(R(p)*0.3)
            else: p.copy_(R(p)*0.3+(0 if gemma and 'linear_attn.norm' not in n else 1))
for name,(M,C,kw) in V.items():
    if only and name not in only: continue
    try:
        torch.manual_seed(0)
        c=C(**kw); c._attn_implementation='eager'
        m=M(c).float().eval(); init(m,'gemma' in name or 'qwen3_next' in name)
        m.tie_weights()
        T=23
        ids=torch.randint(1,63,(2,T),generator=torch.Generator().manual_seed(3))
        with torch.no_grad(): lg=m(ids,use_cache=False).logits.float()
        d=OUT+name; m.save_pretrained(d)
        for f in os.listdir(d):
            if f not in('config.json','model.safetensors'): os.remove(d+'/'+f)
        save_file({'input_ids':ids,'logits':lg.contiguous()},d+'/expected.safetensors')
        print(name,'ok',float(lg.abs().max()),float(lg.std()),bool(torch.isfinite(lg).all()),flush=True)
    except Exception as e:
        print(name,'FAILED',type(e).__name__,str(e)[:200],flush=True)
