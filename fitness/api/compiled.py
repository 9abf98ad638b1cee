"""QuerySets whose SQL is made once, for rows that every request reads."""

from functools import cached_property

from django.db import connection


class CompiledRow:
    """One row of `queryset`, found by the value of the single parameter in it.

    The queryset is written as any other, with whatever stands for the parameter, and may join one
    model by `select_related`. Compiling it anew takes most of such a look-up's time.
    """

    def __init__(self, queryset, related):
        self.queryset = queryset
        self.related = related  # the name of the joined foreign key

    @cached_property
    def compiled(self):
        """(SQL, converters by column, models with the names and the slice of their columns)."""
        compiler = self.queryset.query.get_compiler(connection=connection)
        sql, _ = compiler.as_sql()
        converters = compiler.get_converters([column for column, _, _ in compiler.select])
        key_info = compiler.klass_info
        (joined_info,) = key_info["related_klass_infos"]
        parts = []
        for info in (key_info, joined_info):
            columns = info["select_fields"]
            names = [compiler.select[column][0].target.attname for column in columns]
            parts.append((info["model"], names, slice(columns[0], columns[-1] + 1)))
        return sql, converters, parts

    def get(self, value):
        """The record with its joined one, or None."""
        sql, converters, parts = self.compiled
        with connection.cursor() as cursor:
            cursor.execute(sql, [value])
            row = cursor.fetchone()
        if row is None:
            return None
        values = list(row)
        for column, (functions, expression) in converters.items():
            for function in functions:
                values[column] = function(values[column], expression, connection)
        record, joined = (
            model.from_db(connection.alias, names, values[part]) for model, names, part in parts
        )
        setattr(record, self.related, joined)
        return record
