import type { ImportMap, ImportTemplate } from '../../../../contracts/import-engine.ts';
import { constantOf, mappedText } from '../../../../contracts/import-value.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** Column of a corrections file with the reason why a row failed. It is never imported. */
const REASON_COLUMN = 'ImportReason';

/** Parses pairs `Old=New`, one per line, split at the first equals sign. Old values are matched ignoring case. */
export function parseTranslation(text: string | null | undefined): ReadonlyMap<string, string> | undefined {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at < 0)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'Translation',
          message: `Translation: expected Old=New on each line; "${line.slice(0, 60)}" has no equals sign.`,
        });
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** A row mapped to parameters, and the parameters that identify its record. */
export interface MappedRow {
  readonly parameters: Readonly<Record<string, string>>;
  /** Parameters of maps of type Key: the record with these values is updated. */
  readonly keys: readonly string[];
}

/**
 * Maps the values of a row to parameters. Without maps each column is the parameter of its name; with maps only mapped
 * columns are used. An empty value is sent as empty and clears its column, unless another map fills the same
 * destination.
 * @throws BAD_PARAMETER naming the column, the value and what was expected
 */
export function mapRow(
  template: Pick<ImportTemplate, 'maps' | 'options'>,
  values: Readonly<Record<string, string>>,
): MappedRow {
  const { maps } = template;
  if (maps.length === 0) {
    return {
      parameters: Object.fromEntries(
        Object.entries(values).filter(([name]) => name.toLowerCase() !== REASON_COLUMN.toLowerCase() && name !== ''),
      ),
      keys: [],
    };
  }
  const byName = new Map(Object.entries(values).map(([name, value]) => [name.trim().toLowerCase(), value]));
  const parameters: Record<string, string> = {};
  const keys: string[] = [];
  for (const map of maps) {
    if (map.type === 'Ignore') continue;
    const value = mapValue(map, byName, template.options);
    if (value === undefined) continue;
    if (value !== '' || !(map.destination in parameters)) parameters[map.destination] = value;
    if (map.type === 'Key') keys.push(map.destination);
  }
  return { parameters, keys };
}

/** Returns one mapped value; undefined if the source has no such column. */
function mapValue(
  map: ImportMap,
  byName: ReadonlyMap<string, string>,
  options: ReadonlyMap<string, string>,
): string | undefined {
  return map.type === 'Constant'
    ? constantOf(map)
    : mappedText(map, byName.get(map.source.trim().toLowerCase()), options);
}
