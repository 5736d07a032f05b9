import type { ImportMap, ImportTemplate } from '../../../../contracts/import-engine.ts';
import { constantOf, mappedText } from '../../../../contracts/import-value.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** The column of a corrections file that tells why a row failed: it is never imported. */
const REASON_COLUMN = 'ImportReason';

/** Pairs `Old=New`, one a line; the first sign of equality separates. Values are found without regard to case. */
export function parseTranslation(text: string | null | undefined): ReadonlyMap<string, string> | undefined {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at < 0)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'Translation',
          message: `Translation: expected Old=New on each line; "${line.slice(0, 60)}" has no sign of equality.`,
        });
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** A row brought into parameters by its template's maps, with those that say which record it is. */
export interface MappedRow {
  readonly parameters: Readonly<Record<string, string>>;
  /** The parameters of maps of type Key: the record with these values is the one to be changed. */
  readonly keys: readonly string[];
}

/**
 * Brings the values of a row into parameters. Without maps each column is the parameter of its name; with maps only mapped
 * columns are used. An empty value is sent as empty, which empties a column, unless another map fills the same destination.
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

/** One value by its map; undefined where the source has no such column. */
function mapValue(
  map: ImportMap,
  byName: ReadonlyMap<string, string>,
  options: ReadonlyMap<string, string>,
): string | undefined {
  return map.type === 'Constant'
    ? constantOf(map)
    : mappedText(map, byName.get(map.source.trim().toLowerCase()), options);
}
