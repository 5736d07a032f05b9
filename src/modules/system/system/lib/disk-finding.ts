import { FILE_OBJECT, type DiskSpace } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { diskFailedPercent, diskWarningPercent } from '../settings.ts';

/** The disk of one or more storage locations. */
export interface Disk extends DiskSpace {
  readonly locations: readonly string[];
}

/** Used shares of a disk, in percent, from which on it is reported. */
export interface DiskLimits {
  readonly warning: number;
  readonly failed: number;
}

/** What the disks of stored files mean for the health report. */
export interface DiskFinding {
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
  readonly Advice?: string;
}

const GIGABYTE = 1024 ** 3;

/** Checks how full the disks of the storage locations are that are folders of this machine. */
export async function checkDisks(ctx: Context): Promise<DiskFinding> {
  return diskFinding(await disksOf(ctx), {
    warning: ctx.settings.get(diskWarningPercent),
    failed: ctx.settings.get(diskFailedPercent),
  });
}

/** Returns the disks of the storage locations. Locations of one disk, which have the same size and rest, are one. */
async function disksOf(ctx: Context): Promise<readonly Disk[]> {
  const found = await Promise.all(
    ctx.providers.names(FILE_OBJECT).map(async (name) => ({
      name,
      space: await ctx.providers.get(FILE_OBJECT, name).space?.(),
    })),
  );
  const known = found.flatMap(({ name, space }) => (space === undefined ? [] : [{ name, space }]));
  const bySpace = Map.groupBy(known, ({ space }) => `${space.size} ${space.free}`);
  return [...bySpace.values()].flatMap((of) =>
    of[0] === undefined ? [] : [{ ...of[0].space, locations: of.map(({ name }) => name) }],
  );
}

/** Returns what the health report says of some disks. The fullest decides. */
export function diskFinding(disks: readonly Disk[], { warning, failed }: DiskLimits): DiskFinding {
  if (disks.length === 0) return { State: 'ok', Detail: 'No storage location is a folder of this machine.' };
  const sorted = disks.toSorted((a, b) => usedPercent(b) - usedPercent(a));
  const fullest = Math.max(...sorted.map(usedPercent));
  const state = stateOf(fullest, { warning, failed });
  return {
    State: state,
    Detail: `${sorted.map(diskText).join('; ')}.`,
    ...(state !== 'ok' && {
      Advice:
        'Free or add space on the disk, or move files to another storage location under Administration → Files. The ' +
        `limits are the settings DiskWarningPercent (${warning}) and DiskFailedPercent (${failed}).`,
    }),
  };
}

function stateOf(percent: number, { warning, failed }: DiskLimits): DiskFinding['State'] {
  if (percent >= failed) return 'failed';
  return percent >= warning ? 'warning' : 'ok';
}

function usedPercent({ size, free }: DiskSpace): number {
  return size === 0 ? 0 : Math.floor(((size - free) / size) * 100);
}

function diskText(disk: Disk): string {
  const free = (disk.free / GIGABYTE).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return `${disk.locations.join(', ')}: ${usedPercent(disk)} % used, ${free} GB free`;
}
