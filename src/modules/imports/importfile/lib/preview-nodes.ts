import type { TreeNode } from '../../../../kernel/door/answer.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import { mapRow } from './map-row.ts';
import type { ShowValue } from './shown-numbers.ts';

/** A row of the source: its cells as read and as mapped, or why it is rejected. */
export interface PreviewItem extends TreeNode {
  readonly attributes: { readonly SourceLine: number; readonly Sheet: string | undefined };
  readonly children: readonly (SourceValue | MappedValue | Problem)[];
}

/** A cell of the source, by its column. */
export interface SourceValue extends TreeNode {
  readonly name: 'Value';
  readonly attributes: { readonly Source: string };
  readonly value: string;
}

/** A parameter that the row would be sent as. */
interface MappedValue extends TreeNode {
  readonly name: 'Parameter';
  readonly attributes: { readonly Destination: string };
  readonly value: string;
}

/** Why the row is rejected. */
interface Problem extends TreeNode {
  readonly name: 'Problem';
  readonly value: string;
}

/** Returns a row mapped by the import type's maps, or why they reject it. */
export function mappedNodes(
  template: Parameters<typeof mapRow>[0],
  values: Readonly<Record<string, string>>,
  show: ShowValue,
): readonly (MappedValue | Problem)[] {
  if (template.maps.length === 0) return [];
  try {
    return Object.entries(mapRow(template, values).parameters).map(([name, value]): MappedValue => ({
      name: 'Parameter',
      attributes: { Destination: maskNumbers(name) },
      value: show(name, value),
    }));
  } catch (error) {
    return [problemNode(error instanceof Error ? error.message : 'The row cannot be mapped.')];
  }
}

/** Returns the node that says why a row is rejected. */
export function problemNode(text: string): Problem {
  return { name: 'Problem', value: maskNumbers(text) };
}
