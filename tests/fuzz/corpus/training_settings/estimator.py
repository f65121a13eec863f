npu_config=NPURunConfig( model_dir=FLAGS.model_dir, session_config=tf.ConfigProto(allow_soft_placement=True,log_device_placement=False), precision_mode="allow_mix_precision" )
