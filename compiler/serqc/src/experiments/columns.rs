//! The runs of a folder as a Parquet file: a column a setting, `seed`, `stationary`, `error`, and a
//! column a metric, named as in `runs.csv`.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{PrimitiveTypeBuilder, Type, TypePtr};
use serq_runtime::results::{self, Reader, Record, Trouble};

use crate::failure::Outside;

/// Rows that are in memory at a time.
const GROUP: usize = 50_000;

/// Writes the runs of a folder to `file`, named `shown` in errors.
///
/// # Errors
/// If the folder cannot be read or the file not written.
pub fn write(
    reader: &Reader,
    file: &mut File,
    shown: &std::path::Path,
) -> std::result::Result<(), Outside> {
    let mut metrics: Vec<String> = Vec::new();
    let mut look = |record: Record| {
        for metric in record.metrics {
            if !metrics.contains(&metric.name) {
                metrics.push(metric.name);
            }
        }
        Ok(())
    };
    reader.records(&mut look).map_err(Outside::results)?;
    let table =
        Table { settings: results::setting_names(&reader.manifest.swept, &metrics), metrics };
    let failed = |why: parquet::errors::ParquetError| Outside::unwritable(shown, why);
    let schema = table.schema().map_err(failed)?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut *file, schema, properties).map_err(failed)?;
    let mut rows: Vec<Record> = Vec::new();
    let mut wrong = None;
    let mut take = |record: Record| {
        rows.push(record);
        if rows.len() < GROUP {
            return Ok(());
        }
        let written = table.group(&mut writer, &rows);
        rows.clear();
        written.map_err(|why| {
            wrong = Some(failed(why));
            Trouble::unwritable(shown, &io::Error::other("Parquet"), 0)
        })
    };
    let read = reader.records(&mut take).map_err(Outside::results);
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    read?;
    if !rows.is_empty() {
        table.group(&mut writer, &rows).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    file.flush().map_err(|why| Outside::unwritable(shown, why))
}

fn column(name: &str, physical: Physical, repetition: Repetition) -> PrimitiveTypeBuilder<'_> {
    Type::primitive_type_builder(name, physical).with_repetition(repetition)
}

struct Table {
    settings: Vec<String>,
    metrics: Vec<String>,
}

impl Table {
    fn schema(&self) -> Result<TypePtr> {
        let (always, perhaps) = (Repetition::REQUIRED, Repetition::OPTIONAL);
        let mut fields = Vec::new();
        for name in &self.settings {
            fields.push(column(name, Physical::DOUBLE, always).build()?);
        }
        let unsigned = Some(LogicalType::integer(64, false));
        fields.push(column("seed", Physical::INT64, always).with_logical_type(unsigned).build()?);
        fields.push(column("stationary", Physical::BOOLEAN, always).build()?);
        let text = Some(LogicalType::String);
        fields
            .push(column("error", Physical::BYTE_ARRAY, perhaps).with_logical_type(text).build()?);
        for name in &self.metrics {
            fields.push(column(name, Physical::DOUBLE, perhaps).build()?);
        }
        let fields = fields.into_iter().map(Arc::new).collect();
        Ok(Arc::new(Type::group_type_builder("runs").with_fields(fields).build()?))
    }

    /// Writes some rows.
    fn group<W: Write + Send>(
        &self,
        writer: &mut SerializedFileWriter<W>,
        rows: &[Record],
    ) -> Result<()> {
        let mut group = writer.next_row_group()?;
        for i in 0..self.settings.len() {
            let values: Vec<f64> = rows.iter().map(|r| r.key.values()[i]).collect();
            doubles(&mut group, &values, None)?;
        }
        // The type says that the bits are those of a whole number without a sign.
        let seeds: Vec<i64> = rows.iter().map(|r| r.key.seed.cast_signed()).collect();
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        column.typed::<Int64Type>().write_batch(&seeds, None, None)?;
        column.close()?;
        let stationary: Vec<bool> = rows.iter().map(|r| r.stationary).collect();
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        column.typed::<BoolType>().write_batch(&stationary, None, None)?;
        column.close()?;
        let there: Vec<i16> = rows.iter().map(|r| i16::from(r.error.is_some())).collect();
        let errors: Vec<ByteArray> =
            rows.iter().filter_map(|r| Some(ByteArray::from(r.error.as_deref()?))).collect();
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        column.typed::<ByteArrayType>().write_batch(&errors, Some(&there), None)?;
        column.close()?;
        for (at, name) in self.metrics.iter().enumerate() {
            let value = |r: &Record| {
                let here = r.metrics.get(at).filter(|m| m.name == *name);
                here.or_else(|| r.metrics.iter().find(|m| m.name == *name))?.value
            };
            let values: Vec<Option<f64>> = rows.iter().map(value).collect();
            let there: Vec<i16> = values.iter().map(|x| i16::from(x.is_some())).collect();
            let values: Vec<f64> = values.into_iter().flatten().collect();
            doubles(&mut group, &values, Some(&there))?;
        }
        group.close().map(drop)
    }
}

fn doubles<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[f64],
    there: Option<&[i16]>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<DoubleType>().write_batch(values, there, None)?;
    column.close()
}
