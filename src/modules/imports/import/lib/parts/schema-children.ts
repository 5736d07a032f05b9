import { childOf, parseXml, type XmlElement } from '../../../../../kernel/xml/element.ts';

/** An element that a schema allows in another one. */
export interface SchemaChild {
  readonly name: string;
  /** Whether it has text and no elements. */
  readonly isLeaf: boolean;
}

/** Returns what a schema allows in the element at a path of names, in the schema's order; empty for an unknown path. */
export type ChildrenAt = (path: readonly string[]) => readonly SchemaChild[];

/** Reads which elements a schema allows where, and in which order. `xsd`: a whole schema, without includes. */
export function schemaChildren(xsd: string): ChildrenAt {
  const schema: Schema = { types: new Map(), groups: new Map() };
  const root = parseXml(xsd);
  for (const child of root.children) {
    const { name } = child.attributes;
    if (name !== undefined && child.name === 'xs:complexType') schema.types.set(name, child);
    if (name !== undefined && child.name === 'xs:group') schema.groups.set(name, child);
  }
  const roots = root.children.filter((child) => child.name === 'xs:element');
  return (path) => {
    let elements: readonly XmlElement[] = roots;
    for (const step of path) {
      const at = elements.find(({ attributes }) => attributes['name'] === step);
      const type = at && typeOf(schema, at);
      if (!type) return [];
      elements = elementsIn(schema, type);
    }
    return elements.map((element) => ({
      name: element.attributes['name'] ?? '',
      isLeaf: typeOf(schema, element) === undefined,
    }));
  };
}

/** The named parts of a schema. */
interface Schema {
  readonly types: Map<string, XmlElement>;
  readonly groups: Map<string, XmlElement>;
}

/** Returns the complex type of an element; undefined for one with text. */
function typeOf({ types }: Schema, element: XmlElement): XmlElement | undefined {
  return childOf(element, 'xs:complexType') ?? types.get(element.attributes['type'] ?? '');
}

/** Returns the elements of a type or group, through sequences, choices and references. */
function elementsIn(schema: Schema, around: XmlElement): readonly XmlElement[] {
  return around.children.flatMap((child) => {
    switch (child.name) {
      case 'xs:element':
        return [child];
      case 'xs:sequence':
      case 'xs:choice':
        return elementsIn(schema, child);
      case 'xs:group': {
        const group = schema.groups.get(child.attributes['ref'] ?? '');
        return group ? elementsIn(schema, group) : [];
      }
      default:
        return [];
    }
  });
}
