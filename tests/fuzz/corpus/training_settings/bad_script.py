npu.global_options().precision_mode = 'force' + FLAGS['mode
