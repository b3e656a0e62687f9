# What survival_curve does, by R's package survival: its estimator of Kaplan and Meier, and its
# infinitesimal jackknife by batch.
library(survival)
lives <- read.table(file("stdin"), col.names = c("time", "weight", "over", "batch"))
fit <- survfit(Surv(time, over) ~ 1, data = lives, weights = weight, cluster = batch, timefix = FALSE)
batches <- length(unique(lives$batch[lives$over == 1]))
units <- length(unique(lives$batch))
of_log <- if (isTRUE(fit$logse)) fit$std.err else fit$std.err / fit$surv
width <- qt(.975, batches - 1) * of_log * sqrt(units / (units - 1)) / -log(fit$surv)
at <- fit$n.event > 0 & fit$surv > 1e-12
write.table(format(cbind(fit$time, fit$surv, fit$surv^exp(width), fit$surv^exp(-width))[at, , drop = FALSE],
                   digits = 17), quote = FALSE, row.names = FALSE, col.names = FALSE)
