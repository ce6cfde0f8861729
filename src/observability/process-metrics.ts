import { descriptorLimit, openDescriptors } from '../lib/descriptors.ts';
import { Counter, type MetricsRegistry } from './prometheus.ts';

/** Adds the metrics that Prometheus' client libraries report for every process: memory, CPU time, descriptors. */
export function addProcessMetrics(registry: MetricsRegistry): void {
  registry.gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () =>
    process.memoryUsage.rss(),
  );
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time in seconds.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1_000_000);
    },
  });
  const descriptors = () => openDescriptors() ?? Number.NaN;
  registry.gauge('process_open_fds', 'Open file descriptors.', descriptors);
  const limit = descriptorLimit() ?? Number.NaN;
  registry.gauge('process_max_fds', 'Limit of open file descriptors.').set(limit);
}
