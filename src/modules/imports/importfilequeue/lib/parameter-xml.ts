import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { parametersFromXml } from '../../../../kernel/parameters/parameters-xml.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../../../kernel/xml/element.ts';

/** Root element of ParameterXml. */
const ROOT = 'Parameters';

/**
 * Returns parameters as the stored XML: an element for each name, several for a list.
 * @throws TypeError if a name is not a valid XML element name; no parameter has such a name
 */
export function toParameterXml(parameters: Parameters): string {
  const leaves = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly RawValue[]) : [value]).map((one) => xmlElement(name, textOf(one))),
  );
  return writeXml(xmlElement(ROOT, leaves));
}

/** Parses a row's parameters, as a request body of parameters is parsed. */
export function fromParameterXml(xml: string): Parameters {
  return parametersFromXml(parseXml(xml));
}

/**
 * Masks personal numbers in parameter XML: the values of parameters that are such numbers, and any text that looks like
 * one.
 */
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
