import { PlatformError } from '../door/errors.ts';
import { ParameterCollector, PARAMETER_DEPTH_MAX, type Parameters } from './parameters.ts';
import type { XmlElement } from '../xml/element.ts';

/**
 * Returns the parameters of an XML body. The root's children are the parameters: a leaf is a value;
 * `<Contacts><ContactItem>…` is a collection (`Contacts_0_…`); any other element with children is a linked record
 * (`Property_…`). `<ContactItem>` around everything, or in a `<ContactCollection>` of one, is only a wrapper.
 */
export function parametersFromXml(root: XmlElement): Parameters {
  const [only] = root.children;
  const top = root.name.endsWith('Collection') && root.children.length === 1 && only ? only : root;
  const collector = new ParameterCollector();
  addChildren(collector, top, '', 1);
  return collector.all();
}

function addChildren(collector: ParameterCollector, element: XmlElement, prefix: string, depth: number): void {
  if (depth > PARAMETER_DEPTH_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: prefix,
      message: `Parameters can be nested at most ${PARAMETER_DEPTH_MAX} deep.`,
    });
  for (const [name, value] of Object.entries(element.attributes))
    if (!name.startsWith('xmlns')) collector.add(prefix + name, value);
  for (const child of element.children) {
    if (child.children.length === 0) collector.add(prefix + child.name, child.text);
    else if (child.children.every((c) => c.name.endsWith('Item')))
      child.children.forEach((c, index) => addChildren(collector, c, `${prefix}${child.name}_${index}_`, depth + 1));
    else addChildren(collector, child, `${prefix}${child.name}_`, depth + 1);
  }
}
