// Expressions of plans as AQL.
'use strict';

const OPERATORS = {
  plus: '+', minus: '-', times: '*', division: '/', modulus: '%', 'compare ==': '==', 'compare !=': '!=',
  'compare <': '<', 'compare <=': '<=', 'compare >': '>', 'compare >=': '>=', 'compare in': 'in', 'compare not in': 'not in',
  'logical and': '&&', 'logical or': '||', 'n-ary and': '&&', 'n-ary or': '||',
};

const UNARY = { 'unary not': '! ', 'unary plus': '+ ', 'unary minus': '- ' };

class Expressions {
  constructor(colors) {
    this._colors = colors;
  }

  // Returns the name of a variable; those without one are numbered.
  variable({ name, id }) {
    return /^\d+$/.test(name) ? this._colors.name(`#${id}`) : this._colors.name(name);
  }

  attribute(name) {
    return this._colors.name('`' + name + '`');
  }

  value(value) {
    const text = JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ');
    return this._colors.value(text);
  }

  text(node) {
    const parts = node.subNodes || [];
    if (OPERATORS[node.type] !== undefined) {
      return this._operation(node, parts);
    }
    if (UNARY[node.type] !== undefined) {
      return UNARY[node.type] + this.text(parts[0]);
    }
    switch (node.type) {
      case 'reference':
      case 'variable':
        return this.variable(node);
      case 'value':
        return this.value(node.value);
      case 'parameter':
        return `@${node.name}`;
      case 'collection':
        return this._colors.collection(node.name);
      case 'attribute access':
        return `${this.text(parts[0])}.${this.attribute(node.name)}`;
      case 'bound attribute access':
        return `${this.text(parts[0])}.@${this.text(parts[1])}`;
      case 'indexed access':
        return `${this.text(parts[0])}[${this.text(parts[1])}]`;
      case 'array':
        return this._array(node, parts);
      case 'object':
        return this._object(node, parts);
      case 'object element':
        return `${this._colors.value(JSON.stringify(node.name))} : ${this.text(parts[0])}`;
      case 'calculated object element':
        return `[ ${this.text(parts[0])} ] : ${this.text(parts[1])}`;
      case 'range':
        return `${this.text(parts[0])} .. ${this.text(parts[1])}`;
      case 'ternary':
        return `(${this.text(parts[0])} ?: ${parts.slice(-2).map((part) => this.text(part)).join(' : ')})`.replace('?:', '?');
      case 'function call':
      case 'user function call':
        return this._call(node, parts);
      case 'expansion':
        return this._expansion(node, parts);
      case 'array limit':
        return `${this.text(parts[0])}, ${this.text(parts[1])}`;
      default:
        return this._compareArrays(node, parts) || `/* ${node.type} */`;
    }
  }

  _operation(node, parts) {
    const operator = OPERATORS[node.type];
    const texts = parts.map((part) => this.text(part));
    return texts.length === 1 ? texts[0] : `(${texts.join(` ${operator} `)})`;
  }

  _array(node, parts) {
    if (node.raw !== undefined) {
      return this.value(node.raw);
    }
    return parts.length === 0 ? '[ ]' : `[ ${parts.map((part) => this.text(part)).join(', ')} ]`;
  }

  _object(node, parts) {
    if (node.raw !== undefined) {
      return this.value(node.raw);
    }
    return parts.length === 0 ? '{ }' : `{ ${parts.map((part) => this.text(part)).join(', ')} }`;
  }

  _call(node, parts) {
    const [list] = parts;
    const given = list === undefined ? [] : list.raw !== undefined ? list.raw.map((value) => this.value(value)) : (list.subNodes || []).map((part) => this.text(part));
    return `${this._colors.function(node.name)}(${given.join(', ')})`;
  }

  // An array whose elements are filtered and changed: [* FILTER ... LIMIT ... RETURN ...].
  _expansion(node, [iterator, second, ...rest]) {
    const input = this.text(iterator.subNodes[1]);
    if (node.booleanize) {
      return `${input}[? ${this._quantifier(second)} FILTER ${this._optional(rest[0])}]`;
    }
    const words = ['FILTER', 'LIMIT', 'RETURN'];
    const clauses = rest.map((part, index) => (part.type === 'no-op' ? '' : ` ${this._colors.keyword(words[index])} ${this.text(part)}`));
    return `${input}[${'*'.repeat(node.levels || 1)}${clauses.join('')}]`;
  }

  _optional(node) {
    return node === undefined || node.type === 'no-op' ? 'true' : this.text(node);
  }

  _quantifier({ quantifier, subNodes }) {
    const [operand] = subNodes || [];
    const word = String(quantifier).toUpperCase();
    return operand === undefined ? word : `${word} (${this.text(operand)})`;
  }

  _compareArrays(node, parts) {
    const found = /^array compare (.*)$/.exec(node.type);
    if (found === null || parts.length < 3) {
      return undefined;
    }
    return `(${this.text(parts[0])} ${this._quantifier(parts[2])} ${found[1]} ${this.text(parts[1])})`;
  }
}

module.exports = { Expressions };
