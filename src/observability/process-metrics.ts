import type { Registry } from 'prom-client';
import { descriptorLimit, openDescriptors } from '../lib/descriptors.ts';
import { Counter, Gauge } from './prometheus.ts';

/** Adds the metrics that Prometheus' client libraries report for every process: memory, CPU time, descriptors. */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1_000_000);
    },
  });
  new Gauge({
    name: 'process_open_fds',
    help: 'Open file descriptors.',
    registers,
    collect() {
      this.set(openDescriptors() ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'process_max_fds',
    help: 'Limit of open file descriptors.',
    registers,
  }).set(descriptorLimit() ?? Number.NaN);
}
