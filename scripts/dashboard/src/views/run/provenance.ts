// Where a run comes from: machine, software, harness, and what speaks against the machine.
import type { Run, RunRecord } from '../../data/types';
import { fold } from '../../ui/controls';
import { h } from '../../ui/dom';
import { MISSING, moment, number, percent, plural } from '../../ui/format';
import { facts, list, titled } from '../../ui/parts';
import { table } from '../../ui/table';

export function provenanceOf(head: Run, record: RunRecord | null, partial: boolean): HTMLElement {
  const { machine, warnings } = head;
  const of = record?.environment;
  return titled(
    'Where it comes from',
    facts([
      ['Machine', machine.cpu_model],
      ['Cpus', machine.logical_cpus],
      ['Compiler', head.rustc],
      ['Load generator', head.oha && `oha ${head.oha}`],
      ['System', head.os],
      ['Kernel', head.kernel],
      ['Runner', head.runner.join(', ')],
      ['Runner image', head.runner_image],
      ['Time lost to other VMs', percent(head.steal_share).replace(/^\+/, '')],
      ['Profile', head.profile],
      ['Kind', partial ? 'partial: in no series' : null],
      ['Rounds', head.rounds],
      ['Cpus of the server', of?.get('server_cpus')],
      ['Cpus of the load generator', of?.get('generator_cpus')],
      ['Interrupts', interrupts(of?.get('irq_time_apart'))],
      ['Commit', head.commit?.slice(0, 12)],
      ['Harness', head.harness],
      ['Seed of the order', record?.seed],
      ['Ended', moment(head.finished_at)],
    ]),
    warnings.length === 0
      ? null
      : h(
          'div',
          { class: 'notice' },
          h('b', {}, plural(warnings.length, 'warning')),
          ' about the machine:',
          list(null, warnings),
        ),
    record === null
      ? null
      : [
          fold('environment', 'Everything that was recorded of the machine', () => [
            listed('Environment', record.environment),
            listed('Harness', record.harness),
          ]),
          record.splits.length === 0
            ? null
            : fold('splits', 'Ways to divide the cpus that were tried', () => [splits(record)]),
          record.apps.length === 0 ? null : fold('apps', 'What was built', () => [apps(record, head.profile)]),
        ],
  );
}

/** Who pays for the loopback network. */
function interrupts(apart: string | undefined): string | null {
  if (apart === undefined) return null;
  return apart === 'true' ? 'accounted apart from processes' : 'accounted to the process that they interrupt';
}

const splits = ({ splits }: RunRecord): HTMLElement =>
  table(
    'Each with what the ceiling reached under it; the first was taken',
    [
      { label: 'Cpus of the server', cell: split => split.server_cpus },
      { label: 'Cpus of the load generator', cell: split => split.generator_cpus },
      { label: 'Goodput, req/s', figure: true, cell: split => number(split.goodput_rps) },
      { label: 'Server, share', figure: true, cell: split => number(split.server_cpu_share) },
      { label: 'Generator, share', figure: true, cell: split => number(split.generator_cpu_share) },
    ],
    splits,
  );

const listed = (caption: string, fields: Map<string, string>): HTMLElement =>
  table(
    caption,
    [
      { label: 'What', cell: ([key]) => key },
      { label: 'Found', cell: ([, text]) => text },
    ],
    [...fields],
  );

function apps({ apps }: RunRecord, profile: string): HTMLElement {
  const columns = [
    'id',
    'variant',
    'name',
    'framework_version',
    'binary_bytes',
    // Of a build from scratch only in a run of costs.
    ...(profile === 'costs' ? ['build_seconds'] : []),
    'source_hash',
    'lockfile_hash',
  ];
  return table(
    'Apps',
    columns.map(key => ({
      label: key.replaceAll('_', ' '),
      cell: (app: Map<string, string>) => app.get(key)?.slice(0, 40) ?? MISSING,
    })),
    apps,
  );
}
