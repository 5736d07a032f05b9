import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { parametersFromXml } from '../../../../kernel/parameters/parameters-xml.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../../../kernel/xml/element.ts';

/** The root of ParameterXml. */
const ROOT = 'Parameters';

/**
 * Parameters as the XML that a row keeps: an element of each name, several where the value is a list.
 * @throws TypeError where a name is no name of an XML element, which no parameter is either
 */
export function toParameterXml(parameters: Parameters): string {
  const leaves = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly RawValue[]) : [value]).map((one) => xmlElement(name, textOf(one))),
  );
  return writeXml(xmlElement(ROOT, leaves));
}

/** The parameters of a row, as a body of them is read. */
export function fromParameterXml(xml: string): Parameters {
  return parametersFromXml(parseXml(xml));
}

/** The same XML without numbers of people: the values of parameters that are such numbers, and whatever else looks like one. */
export function maskParameterXml(registry: Registry, xml: string): string {
  const names = new Set(
    registry
      .records()
      .flatMap((record) =>
        [...record.columns.values()].filter((c) => c.field.kind === 'ssn').map((c) => c.name.toLowerCase()),
      ),
  );
  const masked = (element: XmlElement): XmlElement => {
    // `Contacts_0_USSSN` is the number of a contact.
    const isNumber = names.has(element.name.toLowerCase().split('_').at(-1) ?? '') && element.text.trim() !== '';
    return {
      ...element,
      children: element.children.map(masked),
      text: isNumber
        ? `XXX-XX-${element.text.replace(/\D/g, '').slice(-4).padStart(4, 'X')}`
        : maskNumbers(element.text),
    };
  };
  return writeXml(masked(parseXml(xml)));
}

function textOf(value: RawValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
