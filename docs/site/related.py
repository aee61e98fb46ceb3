"""Groups of related public names: each entry of the reference links the other names of its groups as "See also". tests/scripts/documents.py
checks that each public name is in a group, and that the groups have no other names."""

GROUPS = """
# ---- Meshes and layouts ----
mesh axis mesh_shape device_mesh abstract_mesh
layout partial replicated batch_sharded cyclic halo none dimension
layout_t mesh_t element_t rank_v layout_value_v owned_layout_t tensor
layout_value layout_value_v axis_mask rule_result linearity fault dual
none axes literal dimension equation
halo boundary corners halo_sums fresh owned_layout_t with_halos exchange_halo
with_halos planning::draw print
local_region local_shape region interval index_set shape
static_extents_v fix_extents
shape index_t static_extents
op::sum op::max op::min op::prod partial all_reduce
nn::padding nn::conv2d nn::max_pool2d nn::average_pool2d
cyclic linalg::block_cyclic_t linalg::scalapack_descriptor
names axis

# ---- Einsum ----
einsum to_layout matmul chain equation elementwise
einsum overlap_chunks
matmul matmul_into to_layout planning::einsum_plan planning::product_plan
to_layout redistribute transpose fft
chain einsum matmul repeated

# ---- Collectives ----
all_reduce reduce_scatter all_gather all_to_all redistribute
all_reduce all_reduce_async bundle as_partial as_replicated comm::all_reduce
all_gather all_gather_async gathered invariant comm::all_gather
reduce_scatter reduce_scatter_async comm::reduce_scatter
all_to_all all_to_all_async comm::all_to_all
redistribute redistribute_async redistribute_into redistribute_from redistribute_to planning::plan
as_partial partial
as_replicated as_replicated_async invariant
as_replicated_async as_replicated pending
pending all_reduce_async all_gather_async reduce_scatter_async all_to_all_async redistribute_async roll_async
roll roll_async shift comm::permute
overlap_chunks all_gather_async

# ---- Redistribution and views ----
redistribute_into paste
slice pad concatenate paste select shift
shift roll
transpose flatten unflatten expand
redistribute_from redistribute_to pack unpack adopt copy_to_mesh
copy_to_mesh redistribute device_mesh

# ---- Halos and stencils ----
exchange_halo update_halo exchange_halo_async add_halo owned redistribute
exchange_halo stencil bundle
set_boundary boundary generate
stencil stencil_and_reduce compose update user_operation exchange_halo
inside stencil
star box reaches centre stencil
cell_index user_operation stencil tensor_row
compose repeated
update colour
several stencil
user_operation user_operation_diagnostics elementwise apply
breaks user_operation_diagnostics fault rule_result
tensor_row user_operation

# ---- Reductions and metrics ----
sum max min prod mean keep_dims expand
sum sum_of_squares cumsum all_reduce
max argmax maximum
min argmin minimum
argmax argmin element_index element_value
sort argsort top_k take_along
cumsum roll
nn::accuracy_count nn::top_k_count nn::confusion_counts
sum_of_squares linalg::norm training::clip_by_global_norm
top_k nn::top_k_count

# ---- Losses ----
softmax log_softmax nn::softmax_cross_entropy nn::sharded_cross_entropy
nn::softmax_cross_entropy nn::sharded_cross_entropy nn::mean_squared_error nn::binary_cross_entropy nn::binary_cross_entropy_from_logits

# ---- Random numbers ----
prng_key fold_in random_bits uniform normal dropout

# ---- Layers ----
nn::attention nn::causal_softmax nn::multi_head_attention nn::attention_kernels
nn::causal_softmax softmax
nn::embedding take scatter_add drop_outside
take take_along
nn::batch_norm nn::batch_norm_inference nn::batch_normalized nn::batch_norm_options nn::moving_statistics nn::moving nn::statistics
nn::batch_norm nn::layer_norm nn::rms_norm
nn::conv2d nn::max_pool2d nn::average_pool2d nn::global_average_pool nn::pooling
training::weight build training::dense training::sequential

# ---- Dense solvers ----
linalg::cholesky linalg::lu linalg::solve linalg::triangular_solve linalg::lstsq linalg::block_cyclic_t
linalg::lu linalg::lu_factors linalg::form
linalg::solve linalg::form
linalg::triangular_solve linalg::triangle
linalg::cholesky linalg::triangle
linalg::qr linalg::qr_factors linalg::tall_skinny_qr linalg::lstsq
linalg::eigh linalg::eigenpairs linalg::svd
linalg::svd linalg::svd_factors
linalg::norm linalg::dot linalg::trace

# ---- Transforms ----
fft inverse_fft rfft inverse_rfft to_layout
transforms::dct transforms::inverse_dct transforms::dst transforms::inverse_dst
transforms::fftshift transforms::inverse_fftshift transforms::fftfreq transforms::rfftfreq fft
transforms::set_fft_effort transforms::fft_effort

# ---- Element-wise operations ----
relu nn::sigmoid nn::gelu nn::gelu_tanh nn::silu nn::leaky_relu
exp log sqrt square pow tanh
sin cos tan atan2 tanh
abs maximum minimum clamp floor where
real imag conj abs
elementwise apply where cast
assign assign_and_reduce fill
full zeros ones arange full_like ones_like zeros_like make generate
cast element_t

# ---- Derivatives ----
value_and_grad vjp with_aux value_and_gradients value_aux_and_gradients active active_value stop_gradient
remat remat_if value_and_grad

# ---- Plans and ledgers ----
planning::plan planning::redistribution_plan planning::plan_step planning::step_kind collective planning::links_of planning::link_model redistribute
planning::einsum_plan planning::product_plan planning::element_cost planning::named_product planning::parse_product planning::text_of_product
planning::plan planning::text_of_plan planning::text_of_steps
planning::parse_integer planning::parse_named_mesh planning::parse_layout planning::parse_extents planning::named_mesh
planning::draw planning::draw_svg to_string print describe
planning::waste_kind planning::waste_record ledger
ledger recorder dry_run call_site pass
abstract_mesh abstract_tensor make dry_run dry_runs with_extents
make uniform normal
to_text collective planning::step_kind pass
static_shape static_extents static_extents_v fix_extents with_extents
tensor plain_tensor active_value abstract_tensor sharded_tensor

# ---- Trees and errors ----
tree names build stack map map_members for_each_leaf equal_layers
choose_type choose_value
error comm::collectively comm::on_root
index_t mesh_shape

# ---- Tensors ----
environment mpi_environment run_program
sharded_tensor adopt adopt_reversed generate make expression
gather gather_all scatter item print
scatter generate
pack unpack local_region
memory_use memory_in_use reset_peak_memory require_peak_memory largest_local_size
describe print to_string
fill full_like

# ---- Communication ----
comm::all_reduce comm::all_gather comm::reduce_scatter comm::all_to_all comm::broadcast comm::permute
comm::all_reduce comm::mpi_op comm::element
comm::mpi_datatype comm::mpi_op comm::element
comm::collectively comm::on_root comm::require_equal
comm::algorithm comm::to_text comm::collective_call comm::tuning comm::tuned comm::algorithm_for
communicator device_mesh comm::counters
comm::counters comm::trace ledger
comm::trace comm::watchdog

# ---- Files ----
io::read_idx io::idx_array io::read_mnist io::digit_data io::crc32c
io::read_npy io::npy_array io::npy_kind io::load_npy io::save_npy
io::load_npy io::save_npy io::load_npz io::save_npz io::npz_array io::hdf5_file
io::hdf5_file io::hdf5_mode io::to_create io::to_change io::hdf5_box io::hdf5_options io::hdf5_attribute
io::field_series io::field_series_options io::series_field io::grid_values io::hdf5_file
io::load_arrays io::save_arrays io::array_map io::array_entry io::save_arrays_options
io::save_checkpoint io::load_checkpoint io::checkpoint_part io::checkpoints
io::checkpoints io::checkpoint_options io::run_checkpoints io::run_checkpoint_options
io::run_checkpoints training::run_conditions training::no_checkpoints training::training_run

# ---- Data ----
datasets::dataset datasets::from_arrays datasets::array_source datasets::batching datasets::batch_position datasets::last_batch
datasets::batch_stream datasets::example_batch datasets::labelled_stream datasets::batch_field datasets::read_ahead
datasets::shuffled_batches datasets::example_order
datasets::cache_on_disk datasets::dataset
datasets::rows_of pack local_region
datasets::open_idx datasets::open_npy datasets::open_raw
datasets::data_position datasets::epoch_sums datasets::batch_stream

# ---- Optimizers, strategies, training ----
training::adam training::adamw training::adam_state training::sgd training::sgd_state training::rmsprop training::rmsprop_state training::convention
training::schedule training::cosine_decay training::warm_up
training::clip_by_global_norm training::clipped_gradients
training::zero training::trainer training::step training::data_parallel
training::adam training::schedule training::clip_by_global_norm
training::pipelined training::gpipe training::one_forward_one_backward training::unpipelined training::through_stages training::one_stage
training::place training::places_all training::weight
training::layout_map training::rule training::output_rule training::model_parallel training::data_parallel training::data_layout training::init
training::init training::for_each_named training::weight training::initializer training::laid_out_weight
training::trainer training::fit_options training::scores training::epoch_scores training::early_stopping datasets::tensor_batches datasets::tensor_batch
training::sequential training::network_of_layers training::dense training::conv2d training::embedding training::max_pool2d training::average_pool2d training::global_average_pool training::flatten training::dropout training::rescaling training::layer_norm training::batch_norm training::block training::residual
training::step training::network_step training::training_step training::step_state training::cross_entropy training::squared_error training::accuracy training::no_metric training::trainer
training::layer_call training::layer_with_weights training::layer_name training::sequential
training::without_bias training::without_bias_t training::without_scale training::without_scale_t training::dense training::batch_norm
training::progress training::progress_style training::epoch_table training::csv_log
training::accumulate training::step training::trainer
training::test_accuracy nn::accuracy_count training::require_equal_replicas
training::mean_over training::running_mean
training::print_layouts training::print_step training::print_mesh training::print_blocks training::print_number training::print_peak_memory
training::training_run training::run_options training::step_result training::number_log
"""


def related(name):
    """The other names of a name's groups, in their order."""
    groups = [line.split() for line in GROUPS.splitlines() if line and not line.startswith("#")]
    return [other for other in dict.fromkeys(other for group in groups if name in group for other in group) if other != name]


def all_names():
    return {name for line in GROUPS.splitlines() if not line.startswith("#") for name in line.split()}
