//! Lists, structs, and maps as JSON.
//!
//! The values of such a column are stored by leaf, each with two levels: how many of its optional
//! and repeated ancestors are present, and which repeated one has another element. This is the
//! encoding of Dremel (<https://research.google/pubs/pub36632/>), which Parquet uses.

use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{Type, TypePtr};

use super::column::Leaf;

/// A type whose values are null, single values, structs, or lists.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The definition level of a value that is not null.
    pub present: i16,
    pub kind: NodeKind,
    /// The leaves of the column that belong to the value.
    pub leaves: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Value(TypePtr),
    /// The fields, each with its name as a JSON key.
    Struct(Vec<(String, Node)>),
    /// A list with this type of elements, or a map, whose elements are structs of a key and a value.
    /// The number is the repetition level of all elements but the first.
    List(Box<Node>, i16),
}

impl Node {
    /// Returns the node of a column; `present` is the number of its optional ancestors.
    pub fn of(column: &TypePtr, present: i16) -> Self {
        Self::from(column, present, 0, 0)
    }

    /// Returns the node of a type with ancestors of these levels; `leaf` is its first leaf.
    fn from(of: &TypePtr, present: i16, repetition: i16, leaf: usize) -> Self {
        match of.get_basic_info().repetition() {
            Repetition::REQUIRED => Self::of_present(of, present, repetition, leaf),
            Repetition::OPTIONAL => Self::of_present(of, present + 1, repetition, leaf),
            // A list without a group around it.
            Repetition::REPEATED => {
                Self::list(Self::of_present(of, present + 1, repetition + 1, leaf), repetition + 1)
            }
        }
    }

    fn of_present(of: &TypePtr, present: i16, repetition: i16, leaf: usize) -> Self {
        let Type::GroupType { fields, .. } = &**of else {
            return Self { present, kind: NodeKind::Value(Arc::clone(of)), leaves: leaf..leaf + 1 };
        };
        if let Some(repeated) = repeated_of(of) {
            let (present, repetition) = (present + 1, repetition + 1);
            let element = match element_of(of, repeated) {
                Some(element) => Self::from(element, present, repetition, leaf),
                None => Self::of_present(repeated, present, repetition, leaf),
            };
            return Self { present: present - 1, ..Self::list(element, repetition) };
        }
        let mut end = leaf;
        let fields = fields.iter().map(|field| {
            let node = Self::from(field, present, repetition, end);
            end = node.leaves.end;
            (serde_json::to_string(field.name()).expect("each text is a JSON string"), node)
        });
        let kind = NodeKind::Struct(fields.collect());
        Self { present, kind, leaves: leaf..end }
    }

    fn list(element: Self, repetition: i16) -> Self {
        let (present, leaves) = (element.present - 1, element.leaves.clone());
        Self { present, kind: NodeKind::List(Box::new(element), repetition), leaves }
    }
}

/// Returns the repeated group or value of a list or map.
fn repeated_of(of: &Type) -> Option<&TypePtr> {
    use ConvertedType::{LIST, MAP, MAP_KEY_VALUE};
    let is_list = matches!(of.get_basic_info().converted_type(), LIST | MAP | MAP_KEY_VALUE);
    match of.get_fields() {
        [only] if is_list && only.get_basic_info().repetition() == Repetition::REPEATED => {
            Some(only)
        }
        _ => None,
    }
}

/// Returns the element of a list whose repeated group only surrounds it, by the rules of
/// <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists>.
fn element_of<'a>(list: &Type, repeated: &'a TypePtr) -> Option<&'a TypePtr> {
    let is_old = repeated.name() == "array" || repeated.name() == format!("{}_tuple", list.name());
    match &**repeated {
        Type::GroupType { fields, .. } if fields.len() == 1 && !is_old => Some(&fields[0]),
        _ => None,
    }
}

/// The position in a leaf: the next pair of levels, the next value, and the end of the row's levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    pub level: usize,
    pub value: usize,
    pub end: usize,
}

/// Appends the value of a row as JSON.
pub(super) struct Assembly<'a> {
    leaves: &'a [Box<dyn Leaf>],
    cursors: Vec<Cursor>,
    text: &'a mut Vec<u8>,
    /// Nothing is appended to a text of this length.
    limit: usize,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        leaves: &'a [Box<dyn Leaf>],
        row: usize,
        text: &'a mut Vec<u8>,
        limit: usize,
    ) -> Self {
        let cursors = leaves.iter().map(|leaf| leaf.cursor(row)).collect();
        Self { leaves, cursors, limit: text.len() + limit, text }
    }

    /// Appends the value; returns `false` if it is null.
    pub(super) fn append(mut self, node: &Node) -> Result<bool> {
        let is_null = self.levels(node)?.0 < node.present;
        if !is_null {
            self.value(node)?;
            let is_over = |cursor: &Cursor| cursor.level == cursor.end;
            if !self.cursors.iter().all(is_over) {
                return Err(mismatch());
            }
        }
        Ok(!is_null)
    }

    /// Returns the next definition and repetition level of the first leaf of a node.
    fn levels(&self, node: &Node) -> Result<(i16, i16)> {
        let leaf = node.leaves.start;
        let cursor = self.cursors[leaf];
        let levels = (cursor.level < cursor.end).then(|| self.leaves[leaf].levels(cursor.level));
        levels.flatten().ok_or_else(mismatch)
    }

    fn value(&mut self, node: &Node) -> Result<()> {
        let (definition, _) = self.levels(node)?;
        if definition < node.present {
            self.put(b"null");
            return self.skip(node);
        }
        match &node.kind {
            NodeKind::Value(_) => {
                if self.text.len() < self.limit {
                    let leaf = &self.leaves[node.leaves.start];
                    leaf.append_json(self.cursors[node.leaves.start].value, self.text)?;
                }
                self.skip(node)
            }
            NodeKind::Struct(fields) => {
                for (at, (key, field)) in fields.iter().enumerate() {
                    self.put(if at == 0 { b"{" } else { b"," });
                    self.put(key.as_bytes());
                    self.put(b":");
                    self.value(field)?;
                }
                self.put(b"}");
                Ok(())
            }
            NodeKind::List(..) if definition == node.present => {
                self.put(b"[]");
                self.skip(node)
            }
            NodeKind::List(element, repetition) => {
                self.put(b"[");
                self.value(element)?;
                while matches!(self.levels(element), Ok((_, next)) if next == *repetition) {
                    self.put(b",");
                    self.value(element)?;
                }
                self.put(b"]");
                Ok(())
            }
        }
    }

    /// Goes to the next pair of levels in each leaf of a node.
    fn skip(&mut self, node: &Node) -> Result<()> {
        for leaf in node.leaves.clone() {
            let cursor = &mut self.cursors[leaf];
            if cursor.level == cursor.end {
                return Err(mismatch());
            }
            cursor.value += usize::from(self.leaves[leaf].is_value(cursor.level));
            cursor.level += 1;
        }
        Ok(())
    }

    fn put(&mut self, text: &[u8]) {
        if self.text.len() < self.limit {
            self.text.extend_from_slice(text);
        }
    }
}

pub(super) fn mismatch() -> ParquetError {
    ParquetError::General("the columns of a struct or map have different lengths".into())
}
